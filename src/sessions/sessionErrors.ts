import type { LogEntry } from "./entries.ts";
import type { ReadOnlyReason } from "./session.ts";
import { SessionError } from "./session.ts";
import { fileErrorCode } from "./sessionFiles.ts";

const DISK_FULL_CODES = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** A file error as what it means for a session. */
export function writeError(cause: unknown, notWritten: readonly LogEntry[]): SessionError {
  if (DISK_FULL_CODES.has(fileErrorCode(cause))) {
    return new SessionError(
      "disk_full",
      "The disk is full: nothing was added to the session. Make room and try again.",
      { cause, notWritten },
    );
  }
  return new SessionError(
    "write_failed",
    "The session's file could not be written: nothing was added to the session. Check the disk and try again.",
    { cause, notWritten },
  );
}

export function removedError(notWritten: readonly LogEntry[]): SessionError {
  return new SessionError(
    "file_changed",
    "The session's file was removed or replaced while it was open. Put it back, or reload the window to go on from what is there.",
    { notWritten },
  );
}

export function shortenedError(notWritten: readonly LogEntry[]): SessionError {
  return new SessionError(
    "file_changed",
    "Another program cut the session's file off while it was open: it is shorter than what was read. Put it back, or reload the window to go on from what is there.",
    { notWritten },
  );
}

export function closedError(notWritten: readonly LogEntry[]): SessionError {
  return new SessionError("closed", "The session was closed. Open it again.", { notWritten });
}

export function newerFormatError(notWritten: readonly LogEntry[]): SessionError {
  return new SessionError(
    "newer_format",
    "A newer version of Context Capsule wrote this session: it can be read here, not changed. Update the extension.",
    { notWritten },
  );
}

export function readOnlyError(
  readOnly: ReadOnlyReason | undefined,
  notWritten: readonly LogEntry[],
): SessionError {
  const words =
    readOnly?.reason === "storage"
      ? `The session's storage cannot be written (${readOnly.holder ?? ""}). Check the folder's permissions and the disk.`
      : `The session is open in ${windowOf(readOnly)}. Take it over to write here.`;
  return new SessionError("read_only", words, { notWritten });
}

export function takenOverError(
  readOnly: ReadOnlyReason | undefined,
  notWritten: readonly LogEntry[],
): SessionError {
  const entries = notWritten.length === 1 ? "1 entry was" : `${notWritten.length} entries were`;
  return new SessionError(
    "taken_over",
    `This session was taken over by ${windowOf(readOnly)}: ${entries} not written here. Take it back to go on.`,
    { notWritten },
  );
}

function windowOf(readOnly: ReadOnlyReason | undefined): string {
  const holder = readOnly?.holder ?? "";
  return holder === "" ? "another window" : holder;
}
