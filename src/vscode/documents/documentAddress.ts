import { oneLine } from "./visibleText.ts";

/** What a read-only document shows. Pages count from 1. */
export type DocumentAddress =
  | { readonly kind: "transcript"; readonly page: number }
  /** The context as the next request has it. */
  | { readonly kind: "sent"; readonly page: number }
  /** The transcript with long parts cut short, to be compared with what is sent. */
  | { readonly kind: "abridged"; readonly page: number }
  /** What the next request has of the messages on one page of the abridged transcript. */
  | { readonly kind: "beside"; readonly page: number }
  | { readonly kind: "before"; readonly runId: string; readonly page: number }
  /** What the request after a run had of the messages on one page of the request before it. */
  | { readonly kind: "after"; readonly runId: string; readonly page: number }
  | { readonly kind: "original"; readonly segmentId: string; readonly page: number }
  | { readonly kind: "part"; readonly messageId: string; readonly part: number; readonly page: number }
  | { readonly kind: "generation"; readonly messageId: string }
  | { readonly kind: "receipt"; readonly runId: string }
  | { readonly kind: "preview" };

export type DocumentKind = DocumentAddress["kind"];

/** First part of every path; language patterns of the manifest name it. */
const ROOT = "context-capsule-documents";
/** Second part: documents made of messages have a language of their own, the others are what their name says. */
const RECORD = "record";
const OTHER = "other";
const RECORD_KINDS: ReadonlySet<DocumentKind> = new Set([
  "transcript",
  "sent",
  "abridged",
  "beside",
  "before",
  "after",
  "preview",
]);
const LABEL_LENGTH = 80;
/** Without one a title such as "parser.ts" would choose the language. */
const EXTENSIONS: Readonly<Partial<Record<DocumentKind, string>>> = {
  generation: ".md",
  receipt: ".json",
  original: ".txt",
  part: ".txt",
};

/** Path of a document's URI: `/context-capsule-documents/<session>/record/transcript/2/<label>`; the label is for people alone. */
export function documentPath(sessionId: string, address: DocumentAddress, label: string): string {
  const group = RECORD_KINDS.has(address.kind) ? RECORD : OTHER;
  const parts = [ROOT, sessionId, group, address.kind, ...argumentsOf(address)].map(encodeURIComponent);
  const name = oneLine(label, LABEL_LENGTH).replaceAll(/[\\/]/g, "∕");
  return `/${parts.join("/")}/${name === "" ? address.kind : name}${EXTENSIONS[address.kind] ?? ""}`;
}

/** The session and document that a path names; undefined for a path of no document of ours. */
export function parseDocumentPath(
  path: string,
): { readonly sessionId: string; readonly address: DocumentAddress } | undefined {
  const parts = path.split("/");
  if (parts[0] !== "" || parts[1] !== ROOT || parts.length < 6) return undefined;
  const decoded: string[] = [];
  for (const part of parts.slice(2, -1)) {
    try {
      decoded.push(decodeURIComponent(part));
    } catch {
      return undefined;
    }
  }
  const [sessionId = "", , kind = "", ...args] = decoded;
  const address = addressOf(kind, args);
  return sessionId === "" || address === undefined ? undefined : { sessionId, address };
}

function argumentsOf(address: DocumentAddress): string[] {
  switch (address.kind) {
    case "transcript":
    case "sent":
    case "abridged":
    case "beside":
      return [String(address.page)];
    case "before":
    case "after":
      return [address.runId, String(address.page)];
    case "original":
      return [address.segmentId, String(address.page)];
    case "part":
      return [address.messageId, String(address.part), String(address.page)];
    case "generation":
      return [address.messageId];
    case "receipt":
      return [address.runId];
    case "preview":
      return [];
  }
}

function addressOf(kind: string, args: readonly string[]): DocumentAddress | undefined {
  const [first = "", second = "", third = ""] = args;
  const paged = <Address>(text: string, make: (page: number) => Address): Address | undefined =>
    /^[1-9]\d{0,8}$/.test(text) ? make(Number(text)) : undefined;
  switch (kind) {
    case "transcript":
    case "sent":
    case "abridged":
    case "beside":
      return paged(first, (page) => ({ kind, page }));
    case "before":
    case "after":
      return paged(second, (page) => ({ kind, runId: first, page }));
    case "original":
      return paged(second, (page) => ({ kind, segmentId: first, page }));
    case "part":
      return /^\d{1,9}$/.test(second)
        ? paged(third, (page) => ({ kind, messageId: first, part: Number(second), page }))
        : undefined;
    case "generation":
      return { kind, messageId: first };
    case "receipt":
      return { kind, runId: first };
    case "preview":
      return { kind };
    default:
      return undefined;
  }
}

/** The same document at another page; undefined for one that has a single page. */
export function atPage(address: DocumentAddress, page: number): DocumentAddress | undefined {
  return "page" in address ? { ...address, page } : undefined;
}
