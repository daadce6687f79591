import type { Message } from "../../../src/core/messages.ts";

/** Position of the call of each result (-1: orphan), by looking back from each result for the nearest free call. */
export function callOfEachResult(messages: readonly Message[]): { at: number; call: number }[] {
  const taken = new Set<string>();
  const found: { at: number; call: number }[] = [];
  messages.forEach((message, at) => {
    message.content.forEach((part, partAt) => {
      if (part.type !== "tool-result") return;
      let call = -1;
      search: for (let m = at; m >= 0; m--) {
        const parts = messages[m]?.content ?? [];
        for (let p = m === at ? partAt - 1 : parts.length - 1; p >= 0; p--) {
          const earlier = parts[p];
          if (
            earlier?.type !== "tool-call" ||
            earlier.toolCallId !== part.toolCallId ||
            taken.has(`${m}.${p}`)
          )
            continue;
          taken.add(`${m}.${p}`);
          call = m;
          break search;
        }
      }
      found.push({ at, call });
    });
  });
  return found;
}

/** Position of the message whose calls are pending at the very end; the length where none is. */
export function pendingAtEnd(messages: readonly Message[]): number {
  let at = messages.length - 1;
  while (messages[at]?.role === "tool") at--;
  const callCount = (messages[at]?.content ?? []).filter((part) => part.type === "tool-call").length;
  const answered = callOfEachResult(messages).filter((pair) => pair.call === at).length;
  return callCount > answered ? at : messages.length;
}

/** The rule of contract section 2, word by word, in O(n²): the largest legal cut not above the request, else 0. */
export function safeCutOracle(messages: readonly Message[], requested: number): number {
  const pairs = callOfEachResult(messages);
  const pending = pendingAtEnd(messages);
  for (let cut = Math.min(requested, messages.length); cut > 0; cut--) {
    const orphaned = pairs.some((pair) => pair.at >= cut && pair.call < cut);
    if (!orphaned && cut <= pending) return cut;
  }
  return 0;
}
