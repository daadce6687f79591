import { createHash, hash } from "node:crypto";
import { useHostSha256 } from "../core/digest.ts";
import { useHostUtf8Length } from "../core/utf8.ts";

/** Lets Node hash and count for the core: many times as fast as portable code. To be called before a session opens. */
export function useNodePrimitives(): void {
  // `hash` came with Node 20.12; a host may still lack it.
  useHostSha256((text) =>
    hash === undefined ? createHash("sha256").update(text).digest("hex") : hash("sha256", text),
  );
  useHostUtf8Length((text) => Buffer.byteLength(text));
}
