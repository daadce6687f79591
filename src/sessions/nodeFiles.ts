import { createHash, hash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import {
  close,
  constants,
  fdatasync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readFileSync,
  readSync,
  watch,
  writeSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { promisify } from "node:util";
import type { AppendHandle, FileStat, ReadHandle, SessionFiles } from "./sessionFiles.ts";
import { fileErrorCode } from "./sessionFiles.ts";

const syncData = promisify(fdatasync);
const closeDescriptor = promisify(close);

/** Windows knows no sync of a folder and says so with one of these. */
const FOLDER_SYNC_REFUSALS = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP", "EBADF"]);

/** `SessionFiles` over Node's own file system. */
export const nodeFiles: SessionFiles = {
  async stat(path) {
    try {
      return fileStat(await stat(path, { bigint: true }));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  async list(folder) {
    try {
      return await readdir(folder);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  async makeFolder(folder) {
    await mkdir(folder, { recursive: true });
  },
  read: (path) => readFile(path),
  readSync: (path) => readFileSync(path),
  writeWhole,
  move: (from, to) => rename(from, to),
  remove: (path) => rm(path, { recursive: true, force: true }),
  async openForReading(path) {
    return readHandle(await open(path, "r"));
  },
  openForAppending(path, options) {
    const flags = constants.O_RDWR | constants.O_APPEND | (options.create ? constants.O_CREAT : 0);
    return appendHandle(openSync(path, flags, 0o600));
  },
  watch(folder, changed) {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => changed(name ?? undefined));
      watcher.on("error", () => watcher.close());
      return { dispose: () => watcher.close() };
    } catch {
      return { dispose() {} };
    }
  },
  sha256: (data) =>
    hash === undefined ? createHash("sha256").update(data).digest("hex") : hash("sha256", data),
};

function isMissing(error: unknown): boolean {
  const code = fileErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

function fileStat(stats: BigIntStats): FileStat {
  return {
    bytes: Number(stats.size),
    modifiedMs: Number(stats.mtimeNs) / 1e6,
    isFolder: stats.isDirectory(),
    // Without the device: its number may be another one after a restart.
    identity: stats.birthtimeNs === 0n ? "" : `${stats.ino}:${stats.birthtimeNs}`,
  };
}

let temporaryFiles = 0;

async function writeWhole(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  temporaryFiles += 1;
  const temporary = `${path}.${process.pid}-${temporaryFiles}.tmp`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      for await (const chunk of chunks) await handle.writeFile(chunk);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.slice(0, path.lastIndexOf("/")));
}

async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, "r");
    await handle.sync();
  } catch (error) {
    if (!FOLDER_SYNC_REFUSALS.has(fileErrorCode(error))) throw error;
  } finally {
    await handle?.close();
  }
}

function readHandle(handle: FileHandle): ReadHandle {
  return {
    bytes: async () => (await handle.stat()).size,
    async read(into, position) {
      let filled = 0;
      while (filled < into.length) {
        const { bytesRead } = await handle.read(into, filled, into.length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    close: () => handle.close(),
  };
}

function appendHandle(descriptor: number): AppendHandle {
  let syncs: Promise<unknown> = Promise.resolve();
  let closed = false;
  return {
    bytes() {
      const { size, nlink } = fstatSync(descriptor);
      return nlink === 0 ? -1 : size;
    },
    append: (data) => writeSync(descriptor, data),
    datasync() {
      const sync = syncData(descriptor);
      syncs = Promise.allSettled([syncs, sync]);
      return sync;
    },
    readAll() {
      const content = Buffer.alloc(fstatSync(descriptor).size);
      let filled = 0;
      while (filled < content.length) {
        const count = readSync(descriptor, content, filled, content.length - filled, filled);
        if (count === 0) break;
        filled += count;
      }
      return content.subarray(0, filled);
    },
    touch(timeMs) {
      futimesSync(descriptor, timeMs / 1000, timeMs / 1000);
    },
    empty() {
      ftruncateSync(descriptor, 0);
    },
    async close() {
      if (closed) return;
      closed = true;
      // A descriptor that is closed under a running sync may already be another file's.
      await syncs;
      await closeDescriptor(descriptor);
    },
  };
}
