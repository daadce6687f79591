import { isJsonObject, jsonValue } from "./jsonReply.ts";

export interface ObjectSurvey {
  /** Complete JSON objects that stand side by side, not inside one another. */
  readonly objects: number;
  /** The text ends inside an object that began like JSON. */
  readonly endsInside: boolean;
  /** Where the last closed pair of outer braces ends, JSON or not; -1 where there is none. */
  readonly closedAt: number;
}

const OBJECT_START = /^\{\s*(?:"|$)/;
const START_CHARACTERS = 200;

/** What JSON objects a text holds among other things, in one walk over it. */
export function surveyObjects(text: string): ObjectSurvey {
  let objects = 0;
  let closedAt = -1;
  let at = text.indexOf("{");
  while (at >= 0) {
    const end = endOfBraces(text, at);
    if (end < 0) {
      const endsInside = OBJECT_START.test(text.slice(at, at + START_CHARACTERS));
      return { objects, endsInside, closedAt };
    }
    if (isJsonObject(jsonValue(text.slice(at, end)))) objects++;
    closedAt = end;
    at = text.indexOf("{", end);
  }
  return { objects, endsInside: false, closedAt };
}

/** The position after the brace that closes the one at `start`, braces inside strings left out; -1 where none. */
function endOfBraces(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at++) {
    const unit = text[at];
    if (isInString) {
      if (unit === "\\") at++;
      else if (unit === '"') isInString = false;
    } else if (unit === '"') isInString = true;
    else if (unit === "{") depth++;
    else if (unit === "}" && --depth === 0) return at + 1;
  }
  return -1;
}
