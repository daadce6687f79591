import type { Message, Part } from "../core/messages.ts";
import { rememberTextBytes } from "../core/textBytes.ts";
import type { BlobReference, LogEntry, MessageEntry, SidechainEntry } from "./entries.ts";
import { SessionError } from "./session.ts";
import type { SessionFiles } from "./sessionFiles.ts";
import { fileErrorCode } from "./sessionFiles.ts";

/** Texts over this many UTF-8 bytes stand in files of their own. */
export const BLOB_LIMIT_BYTES = 32 * 1024;
/** Texts of blobs that stay in memory after somebody read them, in UTF-16 units over all of a session. */
const CACHED_UNITS = 16 * 1024 * 1024;
const MOST_BYTES_PER_UNIT = 3;

type EntryWithMessage = MessageEntry | SidechainEntry;

/** An entry on its way into the log. */
export interface SplitEntry {
  /** What its line holds. */
  readonly line: LogEntry;
  /** What memory holds. */
  readonly entry: LogEntry;
  /** Texts that must be in their files before the line is written. */
  readonly texts: readonly { readonly digest: string; readonly text: string }[];
}

/** The large texts of one session: a folder of files, each named by the SHA-256 of its content. */
export class Blobs {
  readonly #files: SessionFiles;
  readonly #folder: string;
  readonly #failed: (kind: "missing_blob" | "altered_blob", bytes: number) => void;
  /** In the order of their last use. */
  readonly #cache = new Map<string, string>();
  readonly #known = new Set<string>();
  readonly #failures = new Map<string, string>();
  #cachedUnits = 0;

  constructor(options: {
    readonly files: SessionFiles;
    readonly folder: string;
    /** Told once for each file that somebody wanted and that is gone or altered. */
    readonly failed?: (kind: "missing_blob" | "altered_blob", bytes: number) => void;
  }) {
    this.#files = options.files;
    this.#folder = options.folder;
    this.#failed = options.failed ?? (() => undefined);
  }

  /** Takes the large texts out of an entry; undefined where it has none. */
  split(entry: LogEntry): SplitEntry | undefined {
    if (!hasMessage(entry) || !entry.message.content.some(isLarge)) return undefined;
    const blobs: BlobReference[] = [];
    const texts: { digest: string; text: string }[] = [];
    const content = entry.message.content.map((part, index) => {
      if (!isLarge(part)) return part;
      const text = largeTextOf(part);
      const digest = this.#files.sha256(text);
      blobs.push({ part: index, digest, bytes: Buffer.byteLength(text) });
      texts.push({ digest, text });
      return withText(part, "");
    });
    const line: EntryWithMessage = { ...entry, message: { ...entry.message, content }, blobs };
    return { line, entry: this.restored(line), texts };
  }

  /** The entry of a line with the texts of its blobs in their places, each read when somebody asks for it. */
  restored(entry: LogEntry): LogEntry {
    if (!hasMessage(entry) || entry.blobs === undefined) return entry;
    const { blobs, ...rest } = entry;
    const content = [...entry.message.content];
    for (const blob of blobs) {
      this.#known.add(blob.digest);
      const part = content[blob.part];
      const field = part === undefined ? undefined : textFieldOf(part);
      if (part === undefined || field === undefined) continue;
      const restored = Object.defineProperty({ ...part }, field, {
        get: () => this.#textOrNotice(blob),
        enumerable: true,
      });
      rememberTextBytes(restored, blob.bytes);
      content[blob.part] = restored;
    }
    return { ...rest, message: { ...entry.message, content } as Message };
  }

  /** Whether an entry of this session names it. */
  isNamed(digest: string): boolean {
    return this.#known.has(digest);
  }

  /** Whether its file is there and unaltered now: what is only in memory is gone with the window. */
  isIntact(digest: string): boolean {
    if (!this.#known.has(digest)) return false;
    try {
      return this.#files.sha256(this.#read(digest)) === digest;
    } catch {
      return false;
    }
  }

  /** Writes a text into its file, unless it stands there already, byte for byte. */
  async write(digest: string, text: string): Promise<void> {
    const path = this.pathOf(digest);
    if (!(await this.#isOnDisk(digest))) {
      await this.#files.makeFolder(this.#folder);
      await this.#files.writeWhole(path, [Buffer.from(text)]);
    }
    this.#failures.delete(digest);
    this.#keep(digest, text);
  }

  /** The text, hash checked. Throws `not_found` or `altered_bytes`. */
  textOf(digest: string): string {
    const cached = this.#cache.get(digest);
    if (cached !== undefined) {
      this.#cache.delete(digest);
      this.#cache.set(digest, cached);
      return cached;
    }
    const content = this.#read(digest);
    if (this.#files.sha256(content) !== digest) {
      throw new SessionError(
        "altered_bytes",
        `The stored text ${this.pathOf(digest)} is not what was stored there: its SHA-256 differs. Put the file back from a backup.`,
      );
    }
    const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("utf8");
    this.#keep(digest, text);
    return text;
  }

  pathOf(digest: string): string {
    return `${this.#folder}/${digest}`;
  }

  #read(digest: string): Uint8Array {
    try {
      return this.#files.readSync(this.pathOf(digest));
    } catch (cause) {
      const gone = fileErrorCode(cause) === "ENOENT";
      throw new SessionError(
        "not_found",
        gone
          ? `The stored text ${this.pathOf(digest)} is gone. Put the file back from a backup.`
          : `The stored text ${this.pathOf(digest)} could not be read.`,
        { cause },
      );
    }
  }

  async #isOnDisk(digest: string): Promise<boolean> {
    if ((await this.#files.stat(this.pathOf(digest))) === undefined) return false;
    return this.#files.sha256(await this.#files.read(this.pathOf(digest))) === digest;
  }

  /** A reader of a message gets words instead of an exception: the rest of the session stays usable. */
  #textOrNotice(blob: BlobReference): string {
    const known = this.#failures.get(blob.digest);
    if (known !== undefined) return known;
    try {
      return this.textOf(blob.digest);
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      const isAltered = error.code === "altered_bytes";
      const what = isAltered ? "was altered" : "is missing";
      const notice = `[The stored text of ${blob.bytes} bytes with SHA-256 ${blob.digest} ${what}.]`;
      this.#failures.set(blob.digest, notice);
      this.#failed(isAltered ? "altered_blob" : "missing_blob", blob.bytes);
      return notice;
    }
  }

  #keep(digest: string, text: string): void {
    if (text.length > CACHED_UNITS || this.#cache.has(digest)) return;
    this.#cache.set(digest, text);
    this.#cachedUnits += text.length;
    for (const [oldest, oldText] of this.#cache) {
      if (this.#cachedUnits <= CACHED_UNITS) break;
      this.#cache.delete(oldest);
      this.#cachedUnits -= oldText.length;
    }
  }
}

function hasMessage(entry: LogEntry): entry is EntryWithMessage {
  return entry.type === "message" || entry.type === "sidechain";
}

function textFieldOf(part: Part): "text" | "data" | "output" | undefined {
  switch (part.type) {
    case "text":
    case "reasoning":
      return "text";
    case "image":
      return "data";
    case "tool-result":
      return "output";
    case "tool-call":
      return undefined;
  }
}

function largeTextOf(part: Part): string {
  const field = textFieldOf(part);
  return field === undefined ? "" : String((part as unknown as Record<string, unknown>)[field]);
}

function withText(part: Part, text: string): Part {
  const field = textFieldOf(part);
  return field === undefined ? part : ({ ...part, [field]: text } as Part);
}

/** Half a surrogate pair has no UTF-8: such a text stays in its line, where JSON keeps it exactly. */
function isLarge(part: Part): boolean {
  const text = largeTextOf(part);
  return (
    text.length * MOST_BYTES_PER_UNIT > BLOB_LIMIT_BYTES &&
    Buffer.byteLength(text) > BLOB_LIMIT_BYTES &&
    text.isWellFormed()
  );
}
