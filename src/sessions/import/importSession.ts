import { ImportAborted, ImportReadError, readChunks } from "./importChunks.ts";
import type { ImportInput, ImportResult } from "./importedSession.ts";
import { importFailure } from "./importFailure.ts";
import { SessionFileReader } from "./sessionFileReader.ts";
import { TimeSlices } from "./timeSlices.ts";

/**
 * Reads another agent's session file: OpenAI-style messages JSON (SWE-agent trajectories too), Claude Code JSONL or pi
 * JSONL, told by its content. Damage never fails an import: what cannot be read is kept and counted. The event loop
 * gets its turn every few milliseconds, except during one line or one JSON document; `signal` ends it at any time.
 */
export async function importSession(input: ImportInput): Promise<ImportResult> {
  const slices = new TimeSlices(input.signal);
  const reader = new SessionFileReader(input.fileName, slices);
  try {
    for await (const chunk of readChunks(input)) {
      const failure = await reader.push(chunk);
      if (failure !== undefined) return failure;
    }
    return await reader.finish();
  } catch (error) {
    if (error instanceof ImportAborted) {
      return importFailure("cancelled", "The import was cancelled; nothing was imported.");
    }
    if (error instanceof ImportReadError)
      return { ...readFailure(input.fileName, error.cause), cause: error.cause };
    throw error;
  }
}

function readFailure(fileName: string, cause: unknown): ImportResult & { readonly ok: false } {
  const said = cause instanceof Error ? cause.message : String(cause);
  return importFailure(
    "read_failed",
    `${fileName} could not be read to its end (${said}). Check that the file is there and readable, then import it again.`,
  );
}
