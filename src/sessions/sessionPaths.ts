/** Names of a session's files inside its storage place. */
export interface SessionPaths {
  readonly log: string;
  readonly claims: string;
  /** Torn ends of writes, set aside. */
  readonly torn: string;
  readonly blobs: string;
}

export const LOG_SUFFIX = ".jsonl";

export function sessionPaths(place: string, id: string): SessionPaths {
  const stem = `${place}/${id}`;
  return { log: `${stem}${LOG_SUFFIX}`, claims: `${stem}.claims`, torn: `${stem}.torn`, blobs: stem };
}

/** Ids are names of files: they come back from chats' metadata and from people's file systems. */
export function isSessionId(id: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(id) && !id.endsWith(LOG_SUFFIX);
}
