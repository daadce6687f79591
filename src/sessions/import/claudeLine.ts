import type { ThreadClues } from "./claudeThreads.ts";
import type { JsonObject } from "./jsonValues.ts";
import { isObject, nonEmptyString } from "./jsonValues.ts";
import type { LineText } from "./lineText.ts";

/** A line of a Claude Code file and where it belongs. */
export interface LineSource {
  readonly value: JsonObject;
  readonly line: LineText;
  readonly side: boolean;
  readonly callId: string | undefined;
}

export interface MessageSource extends LineSource {
  readonly message: JsonObject;
}

/** What tells a line's neighbours: its own id, its parent's, its agent's and the call it belongs to. */
export function cluesOf({ value, callId }: LineSource): ThreadClues {
  return {
    uuid: nonEmptyString(value["uuid"]),
    parentUuid: nonEmptyString(value["parentUuid"] ?? value["logicalParentUuid"]),
    agentId: nonEmptyString(value["agentId"]),
    callId,
  };
}

/** `origin.kind` of a line that a person sent; lines of older versions carry none. */
const PERSON_ORIGINS = new Set(["human", "cli", "user"]);

export function isTypedByPerson(value: JsonObject): boolean {
  if (value["isMeta"] === true || value["isVisibleInTranscriptOnly"] === true) return false;
  if (value["promptSource"] === "system") return false;
  const origin = value["origin"];
  const kind = isObject(origin) ? origin["kind"] : undefined;
  return kind === undefined || kind === null || (typeof kind === "string" && PERSON_ORIGINS.has(kind));
}
