import { CallPairs } from "./callPairs.ts";
import type { Message } from "./messages.ts";

/** What stands for the result of a call that was never answered. */
export const OPEN_CALL_OUTPUT = "No result: the call was interrupted before it was answered.";

/**
 * The messages with a synthetic error result for every open call other than those still pending at the very
 * end, so that no request carries an open call. It stands behind the results that the round has, under the id
 * `callMessageId#toolCallId!open`. The given list comes back when nothing is open.
 */
export function answerOpenCalls(messages: readonly Message[]): readonly Message[] {
  const pairs = new CallPairs();
  for (const message of messages) pairs.append(message);
  const open = pairs.openCalls().filter((call) => call.at !== pairs.pendingFrom);
  if (open.length === 0) return messages;

  const answered: Message[] = [];
  let next = 0;
  for (const call of open) {
    let roundEnd = call.at + 1;
    while (messages[roundEnd]?.role === "tool") roundEnd++;
    while (next < roundEnd) answered.push(messages[next++] as Message);
    const callMessage = messages[call.at] as Message;
    answered.push(errorResult(callMessage, call.toolCallId, answered));
  }
  while (next < messages.length) answered.push(messages[next++] as Message);
  return answered;
}

function errorResult(callMessage: Message, toolCallId: string, before: readonly Message[]): Message {
  const id = `${callMessage.id}#${toolCallId}!open`;
  // One message may hold several open calls of one id.
  let earlier = 0;
  for (let at = before.length - 1; before[at]?.id.startsWith(id) === true; at--) earlier++;
  const calls = callMessage.content.filter(
    (part) => part.type === "tool-call" && part.toolCallId === toolCallId,
  );
  const call = calls[earlier];
  return {
    id: earlier === 0 ? id : `${id}${earlier + 1}`,
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId,
        toolName: call?.type === "tool-call" ? call.toolName : "",
        output: OPEN_CALL_OUTPUT,
        isError: true,
      },
    ],
  };
}
