import type { HandAction } from "../core/capsule/hand.ts";
import { applyCommitment, commitmentSource, commitmentStatement } from "../core/capsule/hand.ts";
import { summaryMessage } from "../core/capsule/summaryMessage.ts";
import { textOf } from "../core/messages.ts";
import type { ContextState } from "../core/projection.ts";
import type { CommitmentRecord } from "../core/records.ts";
import type { CommitmentRequest } from "./liveSession.ts";
import { isPinnable } from "./pinnable.ts";

export type HandEntry =
  | { readonly ok: true; readonly record: CommitmentRecord }
  /** `unknown_message`, `not_pinnable`, `unknown_commitment`, `blank`, `too_many_commitments`, or codes of section 5. */
  | { readonly ok: false; readonly failures: readonly string[] };

/** The log's record of what the person's hand did (contract section 5), validated before it is written. */
export function handEntry(request: CommitmentRequest, context: ContextState, id: string): HandEntry {
  const { action, messageId, text = "" } = request;
  if (action === "pin" || action === "unpin") return pinEntry(action, context, id, messageId);
  const key = request.key ?? "";
  const hand: HandAction =
    action === "add"
      ? { type: "add", text }
      : action === "retire"
        ? { type: "retire", key }
        : { type: "reword", key, text };
  const { summary: previous } = context;
  const statement = commitmentStatement(previous, hand);
  if (statement === undefined) {
    return {
      ok: false,
      failures: [action !== "add" && !isCommitment(context, key) ? "unknown_commitment" : "blank"],
    };
  }
  const record = {
    id,
    action,
    text: statement,
    ...(action === "add" ? {} : { key }),
    ...(messageId === undefined ? {} : { messageId }),
  };
  // Without a capsule the statement stands in the context by itself until the next one covers it.
  if (previous === undefined) return { ok: true, record };
  const result = applyCommitment(previous, hand, commitmentSource(id, statement));
  if (!result.ok)
    return { ok: false, failures: result.code === "rejected" ? result.failures : [result.code] };
  const numbers = new Map(context.transcript.map((message, at) => [message.id, at + 1]));
  const capsule = summaryMessage(result.summary, {
    messageNumber: (segmentId) => numbers.get(segmentId) ?? numbers.get(segmentId.split("#", 1)[0] ?? ""),
  });
  return { ok: true, record: { ...record, summary: result.summary, capsuleText: textOf(capsule) } };
}

function pinEntry(
  action: "pin" | "unpin",
  context: ContextState,
  id: string,
  messageId: string | undefined,
): HandEntry {
  const message = context.transcript.find((one) => one.id === messageId);
  if (message === undefined) return { ok: false, failures: ["unknown_message"] };
  const isPinned = context.pinnedIds.has(message.id);
  // A statement of the hand is a commitment already, and stands in the capsule where there is one.
  const canBePinned = isPinnable(message) && !context.statementIds.has(message.id);
  if (action === "pin" && (isPinned || !canBePinned)) {
    return { ok: false, failures: [isPinned ? "already_pinned" : "not_pinnable"] };
  }
  if (action === "unpin" && !isPinned) return { ok: false, failures: ["not_pinned"] };
  return { ok: true, record: { id, action, messageId: message.id } };
}

function isCommitment(context: ContextState, key: string): boolean {
  return context.summary?.anchors.some((anchor) => anchor.critical && anchor.key === key) ?? false;
}
