import type { JsonObject } from "./jsonValues.ts";
import { isObject, nonEmptyString, timeOf } from "./jsonValues.ts";
import type { LineText } from "./lineText.ts";
import type { DraftBoundary, SessionDraft } from "./sessionDraft.ts";

export interface PreservedSegment {
  readonly headUuid: string;
  readonly tailUuid: string;
  /** The kept messages stand before the summary instead of behind it. */
  readonly beforeSummary: boolean;
}

/** The compactions of a Claude Code file. Old versions write only the summary, newer ones a line before it. */
export class ClaudeBoundaries {
  /** What a compaction kept word for word. */
  readonly preserved = new Map<DraftBoundary, PreservedSegment>();
  readonly #draft: SessionDraft;
  /** The newest boundary, until its summary comes. */
  #open: DraftBoundary | undefined;

  constructor(draft: SessionDraft) {
    this.#draft = draft;
  }

  add(value: JsonObject, line: LineText): DraftBoundary {
    const metadata = isObject(value["compactMetadata"]) ? value["compactMetadata"] : {};
    const trigger = nonEmptyString(metadata["trigger"]);
    const tokensBefore = metadata["preTokens"];
    const at = timeOf(value["timestamp"]);
    const boundary: DraftBoundary = {
      type: "boundary",
      line: line.number,
      summaryText: "",
      ...(at !== undefined && { at }),
      ...(trigger !== undefined && { trigger }),
      ...(typeof tokensBefore === "number" && { tokensBefore }),
    };
    const preserved = preservedSegment(value);
    if (preserved !== undefined) this.preserved.set(boundary, preserved);
    this.#draft.addBoundary(boundary, line);
    this.#open = boundary;
    return boundary;
  }

  /** True when the summary had to begin a boundary of its own. */
  summarize(value: JsonObject, line: LineText, text: string): boolean {
    const before = this.#open;
    const boundary = before ?? this.add(value, line);
    boundary.summaryText = text;
    this.#open = undefined;
    return before === undefined;
  }
}

function preservedSegment(value: JsonObject): PreservedSegment | undefined {
  const metadata = value["compactMetadata"];
  const segment = isObject(metadata) ? metadata["preservedSegment"] : undefined;
  if (!isObject(segment)) return undefined;
  const headUuid = nonEmptyString(segment["headUuid"]);
  const tailUuid = nonEmptyString(segment["tailUuid"]);
  if (headUuid === undefined || tailUuid === undefined) return undefined;
  return { headUuid, tailUuid, beforeSummary: segment["anchorUuid"] === value["uuid"] };
}
