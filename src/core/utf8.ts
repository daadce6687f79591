import { CompactionError } from "./errors.ts";

const REPLACEMENT_BYTES = 3;

/** Texts whose lengths tell a right implementation from a wrong one: one to four bytes a character, lone surrogates. */
const PROBES = ["", "abc", "é€ 😀", "a\ud800b", "\udc00"] as const;

type Utf8Length = (text: string) => number;

let host: Utf8Length | undefined;

/** Bytes of the text in UTF-8; a lone surrogate counts as U+FFFD. */
export function utf8Length(text: string): number {
  return host === undefined ? portableUtf8Length(text) : host(text);
}

/**
 * Lets the host count, ten times as fast as a loop over the characters. It gives the same lengths, or this throws
 * `invalid_options`.
 */
export function useHostUtf8Length(implementation: Utf8Length): void {
  if (PROBES.some((probe) => implementation(probe) !== portableUtf8Length(probe))) {
    throw new CompactionError(
      "invalid_options",
      "The given function counts other UTF-8 lengths; give a right one.",
    );
  }
  host = implementation;
}

function portableUtf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) {
      bytes += 2;
      i++;
    } else bytes += REPLACEMENT_BYTES - 1;
  }
  return bytes;
}

/** The text in UTF-8, as TextEncoder gives it: a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(portableUtf8Length(text));
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      bytes[at++] = unit;
      continue;
    }
    let point = unit;
    if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(i + 1))) {
      point = text.codePointAt(i) ?? 0xfffd;
      i++;
    } else if (unit >= 0xd800 && unit <= 0xdfff) point = 0xfffd;
    if (point < 0x800) bytes[at++] = 0xc0 | (point >> 6);
    else {
      if (point < 0x10000) bytes[at++] = 0xe0 | (point >> 12);
      else {
        bytes[at++] = 0xf0 | (point >> 18);
        bytes[at++] = 0x80 | ((point >> 12) & 0x3f);
      }
      bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
    }
    bytes[at++] = 0x80 | (point & 0x3f);
  }
  return bytes;
}

/** No lone surrogate: such a text comes back byte for byte from UTF-8. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
