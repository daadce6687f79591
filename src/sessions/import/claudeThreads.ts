import { isObject } from "./jsonValues.ts";
import type { DraftMessage, DraftRecord } from "./sessionDraft.ts";
import { isDraftMessage } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";

/** What a sub-agent's line says about where it belongs. */
export interface ThreadClues {
  readonly uuid: string | undefined;
  readonly parentUuid: string | undefined;
  readonly agentId: string | undefined;
  readonly callId: string | undefined;
}

interface Thread {
  callId: string | undefined;
  readonly agentId: string | undefined;
  readonly drafts: DraftMessage[];
}

/**
 * Sub-agents of a Claude Code file and the calls that started them. A line tells its thread by the call's id, the
 * agent's id, or its parent; a thread that names no call is matched by its prompt, which is an input of the call.
 */
export class ClaudeThreads {
  readonly #threads: Thread[] = [];
  readonly #byUuid = new Map<string, Thread>();
  readonly #byAgent = new Map<string, Thread>();
  readonly #byCall = new Map<string, Thread>();
  /** Agent id → call, from the results that name both. */
  readonly #callOfAgent = new Map<string, string>();

  nameAgentOfCall(agentId: string, callId: string): void {
    this.#callOfAgent.set(agentId, callId);
  }

  add(clues: ThreadClues, drafts: readonly DraftMessage[]): void {
    const { uuid, parentUuid, agentId, callId } = clues;
    const thread =
      (callId !== undefined ? this.#byCall.get(callId) : undefined) ??
      (agentId !== undefined ? this.#byAgent.get(agentId) : undefined) ??
      (parentUuid !== undefined ? this.#byUuid.get(parentUuid) : undefined) ??
      this.#start(agentId);
    thread.drafts.push(...drafts);
    if (callId !== undefined) {
      thread.callId ??= callId;
      this.#byCall.set(callId, thread);
    }
    if (agentId !== undefined) this.#byAgent.set(agentId, thread);
    if (uuid !== undefined) this.#byUuid.set(uuid, thread);
  }

  async link(records: readonly DraftRecord[], slices: TimeSlices): Promise<void> {
    if (this.#threads.length === 0) return;
    const callsByPrompt = await promptCalls(records, slices);
    for (const thread of this.#threads) {
      const prompt = thread.drafts[0]?.message.content.find((part) => part.type === "text")?.text;
      const callId =
        thread.callId ??
        (thread.agentId !== undefined ? this.#callOfAgent.get(thread.agentId) : undefined) ??
        (prompt !== undefined ? callsByPrompt.get(prompt.trim())?.shift() : undefined);
      for (const draft of thread.drafts) {
        if (callId !== undefined) draft.linkedCallId = callId;
        if (thread.agentId !== undefined) draft.agentId = thread.agentId;
      }
      if (slices.isOver()) await slices.next();
    }
  }

  #start(agentId: string | undefined): Thread {
    const thread: Thread = { callId: undefined, agentId, drafts: [] };
    this.#threads.push(thread);
    return thread;
  }
}

async function promptCalls(
  records: readonly DraftRecord[],
  slices: TimeSlices,
): Promise<Map<string, string[]>> {
  const calls = new Map<string, string[]>();
  for (const record of records) {
    if (slices.isOver()) await slices.next();
    if (!isDraftMessage(record) || record.message.role !== "assistant") continue;
    for (const part of record.message.content) {
      if (part.type !== "tool-call" || !isObject(part.input) || typeof part.input["prompt"] !== "string")
        continue;
      const prompt = part.input["prompt"].trim();
      const ids = calls.get(prompt);
      if (ids === undefined) calls.set(prompt, [part.toolCallId]);
      else ids.push(part.toolCallId);
    }
  }
  return calls;
}
