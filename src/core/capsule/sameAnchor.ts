import type { Anchor } from "./contextSummary.ts";

/** Byte for byte the same, in all seven fields. */
export function sameAnchor(a: Anchor, b: Anchor): boolean {
  return (
    a.key === b.key &&
    a.kind === b.kind &&
    a.text === b.text &&
    a.critical === b.critical &&
    a.sourceSegmentId === b.sourceSegmentId &&
    a.sourceDigest === b.sourceDigest &&
    a.supersedes.length === b.supersedes.length &&
    a.supersedes.every((key, index) => key === b.supersedes[index])
  );
}
