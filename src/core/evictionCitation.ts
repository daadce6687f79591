import { utf8Length } from "./utf8.ts";

/** A citation carries at most this many digests that the text held. */
export const MAX_HELD_DIGESTS = 8;

/** What a citation stands for. */
export interface CitedText {
  /** `messageId#toolCallId`, or the id of an attachment message. */
  readonly segmentId: string;
  /** Absent for an attachment. */
  readonly toolName?: string | undefined;
  /** SHA-256 of the text. */
  readonly digest: string;
  /** UTF-8 bytes of the text. */
  readonly bytes: number;
  /** Digests of our own store that the text held, so that what it pointed to can still be fetched. */
  readonly heldDigests?: readonly string[];
  /** Only where the session offers a tool that gives the text back by its digest. */
  readonly recallToolName?: string | undefined;
}

/**
 * What stands in the place of an evicted text: one line, the same for the same text. Names come from outside
 * and are quoted as JSON, so that none can break the line.
 */
export function evictionCitation(cited: CitedText): string {
  const { segmentId, toolName, digest, bytes, heldDigests = [], recallToolName } = cited;
  const origin =
    toolName === undefined
      ? `attachment ${quoted(segmentId)}`
      : `result ${quoted(segmentId)} of tool ${quoted(toolName)}`;
  const held = heldDigests.slice(0, MAX_HELD_DIGESTS);
  return [
    `[evicted ${origin}`,
    `sha256 ${digest}`,
    `${bytes} bytes`,
    ...(held.length === 0 ? [] : [`held sha256 ${held.join(" ")}`]),
    ...(recallToolName === undefined ? [] : [`recall with tool ${quoted(recallToolName)} by sha256`]),
  ]
    .join("; ")
    .concat("]");
}

const DIGEST_LENGTH = 64;
const BYTES_BESIDE_NAMES = {
  result: emptyCitationBytes({ toolName: "" }) - 1,
  attachment: emptyCitationBytes({}) - 1,
} as const;

/** UTF-8 bytes of the citation with a digest and no held ones, for a meter: it is not made where the names are plain. */
export function evictionCitationBytes(cited: Pick<CitedText, "segmentId" | "toolName" | "bytes">): number {
  const { segmentId, toolName, bytes } = cited;
  if (isPlain(segmentId) && (toolName === undefined || isPlain(toolName))) {
    const beside = toolName === undefined ? BYTES_BESIDE_NAMES.attachment : BYTES_BESIDE_NAMES.result;
    return beside + segmentId.length + (toolName?.length ?? 0) + digitsOf(bytes);
  }
  return utf8Length(evictionCitation({ ...cited, digest: "0".repeat(DIGEST_LENGTH) }));
}

function emptyCitationBytes(cited: Pick<CitedText, "toolName">): number {
  return evictionCitation({ ...cited, segmentId: "", digest: "0".repeat(DIGEST_LENGTH), bytes: 0 }).length;
}

/** JSON only puts it between quotation marks: printable ASCII without quotation mark and backslash. */
function isPlain(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    const unit = name.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e || unit === 0x22 || unit === 0x5c) return false;
  }
  return true;
}

function digitsOf(count: number): number {
  let digits = 1;
  for (let left = count; left >= 10; left = Math.floor(left / 10)) digits++;
  return digits;
}

const QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"`;
const DIGEST = `[0-9a-f]{${DIGEST_LENGTH}}`;
const CITATION = new RegExp(
  `^\\[evicted (?:attachment ${QUOTED}|result ${QUOTED} of tool ${QUOTED}); sha256 ${DIGEST}; [0-9]+ bytes` +
    `(?:; held sha256 ${DIGEST}(?: ${DIGEST}){0,${MAX_HELD_DIGESTS - 1}})?(?:; recall with tool ${QUOTED} by sha256)?\\]$`,
);

/** A text that is a citation already is never evicted again. */
export function isEvictionCitation(text: string): boolean {
  return text.startsWith("[evicted ") && CITATION.test(text);
}

/** The distinct digests of our own store in a text, in order, at most 8. */
export function heldDigests(text: string, isStored: (digest: string) => boolean): string[] {
  const held: string[] = [];
  // A run of 64 hex digits covers one of every 64 positions, so that most of the text is never looked at.
  for (let at = DIGEST_LENGTH - 1; at < text.length; at += DIGEST_LENGTH) {
    if (!isHexDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isHexDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isHexDigit(text.charCodeAt(end))) end++;
    const run = end - start === DIGEST_LENGTH ? text.slice(start, end) : undefined;
    if (run !== undefined && !held.includes(run) && isStored(run)) held.push(run);
    if (held.length === MAX_HELD_DIGESTS) break;
    // Go on behind the run, so that each is read once.
    if (end > at + DIGEST_LENGTH) at = end - 1;
  }
  return held;
}

/** A digit of a lower-case SHA-256; NaN, outside of the text, is none. */
function isHexDigit(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 102);
}

/** A text is worth evicting only where it is longer than what would stand in its place. */
export function isLongerThan(bytes: number, citation: string): boolean {
  return bytes > utf8Length(citation);
}

/** As JSON, with the line separators that JSON leaves alone escaped too. */
function quoted(name: string): string {
  return JSON.stringify(name).replace(/[\u0085\u2028\u2029]/g, (separator) => {
    return `\\u${separator.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
