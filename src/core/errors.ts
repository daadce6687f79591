export type CompactionErrorCode = "invalid_options" | "already_settled" | "altered_bytes" | "not_stored";

/** Thrown for bad options, a second settle, and bytes that are altered or gone. Every other outcome is a value. */
export class CompactionError extends Error {
  override readonly name = "CompactionError";
  readonly code: CompactionErrorCode;
  constructor(code: CompactionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
