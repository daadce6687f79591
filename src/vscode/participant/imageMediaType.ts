/** First bytes of the pictures that models take; the bytes decide, not the name of the file. */
const SIGNATURES: readonly (readonly [mediaType: string, bytes: readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
];
const RIFF = [0x52, 0x49, 0x46, 0x46];
const WEBP = [0x57, 0x45, 0x42, 0x50];
const WEBP_AT = 8;

/** Media type of a picture by its first bytes; undefined for anything else. */
export function imageMediaType(content: Uint8Array): string | undefined {
  const found = SIGNATURES.find(([, bytes]) => startsWith(content, bytes, 0));
  if (found !== undefined) return found[0];
  return startsWith(content, RIFF, 0) && startsWith(content, WEBP, WEBP_AT) ? "image/webp" : undefined;
}

function startsWith(content: Uint8Array, bytes: readonly number[], offset: number): boolean {
  return bytes.every((byte, at) => content[offset + at] === byte);
}
