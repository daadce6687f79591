import type { SessionFiles } from "./sessionFiles.ts";

const REGISTER_NAME = "places.jsonl";

/** A workspace as a window has it open. */
export interface OpenWorkspace {
  /** URI of the .code-workspace file, where there is one. */
  readonly workspaceFile?: string;
  readonly folders: readonly {
    readonly uri: string;
    /** Where it lies on this machine's disk; absent for other file systems. */
    readonly path?: string;
  }[];
}

/** A storage place and a workspace that used it. */
export interface RegisteredPlace {
  readonly place: string;
  readonly workspaceFile?: string;
  readonly folders: readonly { readonly uri: string; readonly identity?: string }[];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Which storage place belongs to which folders, for all workspaces of this installation: VS Code gives a folder
 * another, empty place when it is renamed or becomes one of several. Lines are only ever appended, so that windows can
 * write at the same time; a place belongs to every workspace that a line of it names.
 *
 * Recognised: the same .code-workspace file; any folder in common by its URI; a folder that was renamed or moved
 * inside its file system (by inode and time of birth). Not recognised: a folder copied, moved to another disk or
 * cloned anew, and a renamed folder that is not on a local disk; `all` lists every place for those.
 */
export class PlaceRegister {
  readonly #files: SessionFiles;
  readonly #folder: string;
  readonly #now: () => number;

  constructor(options: {
    readonly files: SessionFiles;
    /** The installation's own storage, the same for all workspaces. */
    readonly folder: string;
    readonly now: () => number;
  }) {
    this.#files = options.files;
    this.#folder = options.folder;
    this.#now = options.now;
  }

  /** Writes down that this place belongs to this workspace; nothing where that is known. */
  async remember(place: string, workspace: OpenWorkspace): Promise<void> {
    const { workspaceFile } = workspace;
    const known = (await this.#read()).filter((line) => line.place === place);
    const entry: RegisteredPlace = {
      place,
      ...(workspaceFile === undefined ? {} : { workspaceFile }),
      folders: await this.#identified(workspace),
      at: this.#now(),
    };
    if (known.some((line) => withoutTime(line) === withoutTime(entry))) return;
    await this.#files.makeFolder(this.#folder);
    const file = this.#files.openForAppending(this.#path, { create: true });
    try {
      // A line of its own even after one that a crash cut off.
      file.append(Buffer.from(`\n${JSON.stringify(entry)}\n`));
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  /** Places that exist and have something in common with the workspace, last used first. */
  async placesFor(workspace: OpenWorkspace): Promise<readonly string[]> {
    const folders = await this.#identified(workspace);
    const uris = new Set(folders.map((folder) => folder.uri));
    const identities = new Set(folders.flatMap((folder) => folder.identity ?? []));
    const matches = (await this.#read()).filter(
      (line) =>
        (line.workspaceFile !== undefined && line.workspaceFile === workspace.workspaceFile) ||
        line.folders.some(
          ({ uri, identity }) => uris.has(uri) || (identity !== undefined && identities.has(identity)),
        ),
    );
    return (await this.#existing(matches)).map((line) => line.place);
  }

  /** Every place that exists, last used first, each with the workspace that was written down last. */
  async all(): Promise<readonly RegisteredPlace[]> {
    return this.#existing(await this.#read());
  }

  async #existing(lines: readonly RegisteredPlace[]): Promise<readonly RegisteredPlace[]> {
    const existing: RegisteredPlace[] = [];
    for (const line of new Map(lines.map((one) => [one.place, one])).values()) {
      const stat = await this.#files.stat(line.place).catch(() => undefined);
      if (stat?.isFolder === true) existing.push(line);
    }
    return existing.sort((a, b) => b.at - a.at);
  }

  get #path(): string {
    return `${this.#folder}/${REGISTER_NAME}`;
  }

  async #identified(workspace: OpenWorkspace): Promise<RegisteredPlace["folders"]> {
    return Promise.all(
      workspace.folders.map(async ({ uri, path }) => {
        const stat = path === undefined ? undefined : await this.#files.stat(path).catch(() => undefined);
        return stat === undefined || stat.identity === "" ? { uri } : { uri, identity: stat.identity };
      }),
    );
  }

  async #read(): Promise<readonly RegisteredPlace[]> {
    if ((await this.#files.stat(this.#path)) === undefined) return [];
    const content = Buffer.from(await this.#files.read(this.#path)).toString("utf8");
    return content.split("\n").flatMap((line) => parsedPlace(line) ?? []);
  }
}

function withoutTime(line: RegisteredPlace): string {
  return JSON.stringify({ ...line, at: 0 });
}

/** A line that is not whole says nothing; the place is written down again when it is next used. */
function parsedPlace(line: string): RegisteredPlace | undefined {
  try {
    const value = JSON.parse(line) as Partial<RegisteredPlace> | null;
    if (typeof value?.place !== "string" || typeof value.at !== "number") return undefined;
    if (!Array.isArray(value.folders)) return undefined;
    if (
      value.folders.some((folder: unknown) => typeof (folder as { uri?: unknown } | null)?.uri !== "string")
    )
      return undefined;
    return value as RegisteredPlace;
  } catch {
    return undefined;
  }
}
