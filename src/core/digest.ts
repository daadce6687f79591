import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { encodeUtf8 } from "./utf8.ts";

/** SHA-256 of the text's UTF-8 bytes: 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(encodeUtf8(text)));
}
