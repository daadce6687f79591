import type { MessageKind, Part } from "../../core/messages.ts";
import { splitTypedText } from "./typedText.ts";

/** Parts of a user-role line that belong together: typed by a person, or a notice. */
export interface UserRun {
  readonly kind?: MessageKind;
  readonly command?: string;
  readonly parts: Part[];
  interruption: boolean;
  localOutput: boolean;
}

/** What a person typed and what an agent put around it, in order. Images count as the person's. */
export function splitUserParts(parts: readonly Part[]): UserRun[] {
  const runs: UserRun[] = [];
  for (const part of parts) {
    if (part.type !== "text") {
      runFor(runs, undefined, undefined).parts.push(part);
      continue;
    }
    for (const piece of splitTypedText(part.text)) {
      const run = runFor(runs, piece.kind, piece.command);
      run.parts.push({ type: "text", text: piece.text });
      run.interruption ||= piece.interruption === true;
      run.localOutput ||= piece.localOutput === true;
    }
  }
  return runs;
}

/** The whole line as one notice; nothing when it is blank. */
export function asNotice(parts: readonly Part[], kind: MessageKind = "notice"): UserRun[] {
  const filled = parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
  if (filled.length === 0) return [];
  return [{ kind, parts: [...filled], interruption: false, localOutput: false }];
}

/** The last run when it is of the same sort, else a new one. */
function runFor(runs: UserRun[], kind: MessageKind | undefined, command: string | undefined): UserRun {
  const last = runs.at(-1);
  if (last !== undefined && last.kind === kind && last.command === command && command === undefined)
    return last;
  const run: UserRun = {
    parts: [],
    interruption: false,
    localOutput: false,
    ...(kind !== undefined && { kind }),
    ...(command !== undefined && { command }),
  };
  runs.push(run);
  return run;
}
