import { Blobs } from "./blobs.ts";
import type { HeaderEntry, LogEntry, SessionOrigin } from "./entries.ts";
import { LOG_FORMAT_VERSION } from "./entries.ts";
import { readableEntry } from "./entryShape.ts";
import { SessionError } from "./session.ts";
import { writeError } from "./sessionErrors.ts";
import type { SessionEnvironment } from "./sessionFiles.ts";
import { sessionPaths } from "./sessionPaths.ts";

const CHUNK_CHARACTERS = 256 * 1024;

export interface NewSession {
  readonly title: string;
  readonly entries?: readonly LogEntry[];
  readonly origin?: SessionOrigin;
}

/** Makes a session's log with its first entries: the whole of it, or nothing. Returns its id. */
export async function createSession(
  environment: SessionEnvironment,
  place: string,
  session: NewSession,
): Promise<string> {
  const { files } = environment;
  const id = environment.newId();
  const paths = sessionPaths(place, id);
  try {
    await files.makeFolder(place);
    if ((await files.stat(paths.log)) !== undefined) {
      throw new SessionError("write_failed", `A session ${id} exists already. Try again.`);
    }
    await files.writeWhole(paths.log, linesOf(environment, paths.blobs, session));
  } catch (error) {
    if (!(error instanceof SessionError)) await files.remove(paths.blobs).catch(() => undefined);
    if (error instanceof SessionError || error instanceof TypeError) throw error;
    throw writeError(error, session.entries ?? []);
  }
  return id;
}

async function* linesOf(
  environment: SessionEnvironment,
  blobFolder: string,
  session: NewSession,
): AsyncIterable<Uint8Array> {
  const blobs = new Blobs({ files: environment.files, folder: blobFolder });
  const header: HeaderEntry = {
    type: "header",
    id: environment.newId(),
    at: environment.now(),
    format: LOG_FORMAT_VERSION,
    title: session.title,
    ...(session.origin === undefined ? {} : { origin: session.origin }),
  };
  let text = `${JSON.stringify(header)}\n`;
  for (const given of session.entries ?? []) {
    const entry = readableEntry(given);
    const split = blobs.split(entry);
    for (const blob of split?.texts ?? []) await blobs.write(blob.digest, blob.text);
    text += `${JSON.stringify(split?.line ?? entry)}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}
