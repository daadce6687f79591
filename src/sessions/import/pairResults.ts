import type { Part, ToolCallPart, ToolResultPart } from "../../core/messages.ts";
import type { DraftMessage, DraftRecord, SessionDraft } from "./sessionDraft.ts";
import { isDraftMessage } from "./sessionDraft.ts";
import type { TimeSlices } from "./timeSlices.ts";

export interface PairCounts {
  calls: number;
  results: number;
  orphanResults: number;
}

interface OpenCall {
  readonly id: string;
  readonly name: string;
  /** The file gave no id; `id` was made up here. */
  readonly unnamed: boolean;
}

/** Calls of one line of talk (transcript, sub-agents, outside) that wait for their results. */
class OpenCalls {
  readonly counts: PairCounts = { calls: 0, results: 0, orphanResults: 0 };
  readonly #byId = new Map<string, OpenCall[]>();
  readonly #unnamed: OpenCall[] = [];

  /** The context starts here: an answer to a call before it would stand in the context without its call. */
  forget(): void {
    this.#byId.clear();
    this.#unnamed.length = 0;
  }

  open(call: OpenCall): void {
    this.counts.calls += 1;
    if (call.unnamed) this.#unnamed.push(call);
    const same = this.#byId.get(call.id);
    if (same === undefined) this.#byId.set(call.id, [call]);
    else same.push(call);
  }

  /** The nearest earlier unanswered call of the result's id; without an id, of its name among calls without one. */
  answer(result: ToolResultPart): OpenCall | undefined {
    const call =
      result.toolCallId === ""
        ? this.#unnamed.findLast((open) => result.toolName === "" || open.name === result.toolName)
        : this.#byId.get(result.toolCallId)?.at(-1);
    if (call === undefined) {
      this.counts.orphanResults += 1;
      return undefined;
    }
    this.#byId.get(call.id)?.pop();
    if (call.unnamed) this.#unnamed.splice(this.#unnamed.lastIndexOf(call), 1);
    this.counts.results += 1;
    return call;
  }
}

export type PairedCounts = Record<DraftMessage["type"], PairCounts>;

/**
 * Names every call, gives every result the name of its call, and turns results without an earlier unanswered call into
 * notices; a call on the other side of the ruling boundary counts as none. Calls stay open where the file has no result: the projection answers them when it sends.
 */
export async function pairResults(draft: SessionDraft, slices: TimeSlices): Promise<PairedCounts> {
  const ledgers = { message: new OpenCalls(), sidechain: new OpenCalls(), outside: new OpenCalls() };
  const records: DraftRecord[] = [];
  const ruling = draft.records.findLast(({ type }) => type === "boundary");
  for (const record of draft.records) {
    records.push(record);
    if (record === ruling) ledgers.message.forget();
    if (!isDraftMessage(record)) continue;
    const ledger = ledgers[record.type];
    if (record.message.role === "assistant") openCalls(record, ledger);
    else if (record.message.role === "tool") records.push(...answerCalls(record, ledger, draft));
    if (slices.isOver()) await slices.next();
  }
  draft.records = records;
  return {
    message: ledgers.message.counts,
    sidechain: ledgers.sidechain.counts,
    outside: ledgers.outside.counts,
  };
}

function openCalls({ message }: DraftMessage, ledger: OpenCalls): void {
  message.content.forEach((part, index) => {
    if (part.type !== "tool-call") return;
    const unnamed = part.toolCallId === "";
    const call: ToolCallPart = {
      ...part,
      toolCallId: unnamed ? `${message.id}:call-${index + 1}` : part.toolCallId,
      toolName: part.toolName || "unknown",
    };
    if (unnamed || part.toolName === "") message.content[index] = call;
    ledger.open({ id: call.toolCallId, name: call.toolName, unnamed });
  });
}

/** Answers what it can in place and gives back the notices that the orphans become. */
function answerCalls(record: DraftMessage, ledger: OpenCalls, draft: SessionDraft): DraftMessage[] {
  const { message } = record;
  const orphans: ToolResultPart[] = [];
  const kept = message.content.flatMap((part): Part[] => {
    if (part.type !== "tool-result") return [part];
    const call = ledger.answer(part);
    if (call !== undefined) return [{ ...part, toolCallId: call.id, toolName: part.toolName || call.name }];
    orphans.push(part);
    return [];
  });
  if (orphans.length === 0) {
    message.content = kept;
    return [];
  }
  const texts = orphans.map((orphan) => ({ type: "text" as const, text: orphanText(orphan) }));
  if (kept.every((part) => part.type !== "tool-result")) {
    message.role = "user";
    message.kind = "notice";
    message.content = [...texts, ...kept];
    return [];
  }
  message.content = kept;
  const { line, type, at } = record;
  const id = `${message.id}:orphans`;
  return [draft.draftMessage({ type, line, at, id, role: "user", kind: "notice", content: texts })];
}

function orphanText({ toolName, toolCallId, output }: ToolResultPart): string {
  const called = [toolName, toolCallId].filter((name) => name !== "").join(", ");
  return `A tool's result whose call is not in the file${called === "" ? "" : ` (${called})`}:\n${output}`;
}
