import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { CompactionError } from "./errors.ts";
import { encodeUtf8 } from "./utf8.ts";

type Sha256Hex = (text: string) => string;

/** Texts whose digests tell a right implementation from a wrong one: several bytes a character, a lone surrogate. */
const PROBES = ["", "abc", "€ 😀", "a\ud800b"] as const;

let host: Sha256Hex | undefined;

/** SHA-256 of the text's UTF-8 bytes: 64 lower-case hex digits. A lone surrogate counts as U+FFFD. */
export function sha256Hex(text: string): string {
  return host === undefined ? portableSha256Hex(text) : host(text);
}

/**
 * Lets the host's own SHA-256, many times as fast, stand in for ours. It gives the same digests, or this throws
 * `invalid_options`.
 */
export function useHostSha256(implementation: Sha256Hex): void {
  if (PROBES.some((probe) => implementation(probe) !== portableSha256Hex(probe))) {
    throw new CompactionError("invalid_options", "The given SHA-256 makes other digests; give a right one.");
  }
  host = implementation;
}

function portableSha256Hex(text: string): string {
  return bytesToHex(sha256(encodeUtf8(text)));
}
