import { nodeFiles } from "../../../src/sessions/nodeFiles.ts";
import type { AppendHandle, SessionFiles } from "../../../src/sessions/sessionFiles.ts";

/** What goes wrong with files whose name ends in `suffix`; fields may be changed while files are open. */
export class Faults {
  suffix = ".jsonl";
  /** Bytes that can still be written; then `code`. */
  bytesLeft = Number.POSITIVE_INFINITY;
  code = "ENOSPC";
  /** Bytes of one write; the rest is left to the caller, without an error. */
  bytesAWrite = Number.POSITIVE_INFINITY;
  /** A write reports an error after it wrote everything. */
  errorAfterWrite = false;
  datasyncFails = false;
  wholeWritesFail = false;
  datasyncs = 0;
  /** Resolves once a datasync was asked for. */
  readonly datasyncAsked = Promise.withResolvers<void>();
  /** A datasync waits for this first. */
  gate: Promise<void> = Promise.resolve();
}

/** Node's files with faults. */
export function faultyFiles(faults: Faults): SessionFiles {
  return {
    ...nodeFiles,
    openForAppending(path, options) {
      const handle = nodeFiles.openForAppending(path, options);
      return path.endsWith(faults.suffix) ? faultyHandle(handle, faults) : handle;
    },
    async writeWhole(path, chunks) {
      if (faults.wholeWritesFail) throw systemError(faults.code);
      await nodeFiles.writeWhole(path, chunks);
    },
  };
}

export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: made by a test`), { code });
}

function faultyHandle(handle: AppendHandle, faults: Faults): AppendHandle {
  return {
    ...handle,
    append(data) {
      if (faults.bytesLeft <= 0 && data.length > 0) throw systemError(faults.code);
      const length = Math.min(data.length, faults.bytesLeft, faults.bytesAWrite);
      const written = handle.append(data.subarray(0, length));
      faults.bytesLeft -= written;
      if (faults.errorAfterWrite) throw systemError(faults.code);
      return written;
    },
    async datasync() {
      faults.datasyncs += 1;
      faults.datasyncAsked.resolve();
      await faults.gate;
      if (faults.datasyncFails) throw systemError("EIO");
      await handle.datasync();
    },
  };
}
