import { renderDraft } from "../../core/capsule/draft.ts";
import type { ChatModel, DraftInput, ModelChunk } from "../../core/model.ts";
import { offlineDraft } from "./offlineDraft.ts";
import { OFFLINE_MODEL_ID } from "./offlineModelId.ts";

/** The same for everybody who calls it; no language model stands behind it, so it cannot be asked anything. */
export interface OfflineModelWords {
  readonly name: string;
  /** What it answers in a chat: what it is, and what to do for real answers. */
  readonly chatReply: string;
}

/**
 * The offline summarizer: a deterministic extract instead of a model, free, without key or network. In a chat it
 * says what it is.
 */
export function createOfflineModel({ name, chatReply }: OfflineModelWords): ChatModel {
  return {
    id: OFFLINE_MODEL_ID,
    vendor: "context-capsule",
    name,
    limits: {},
    writeDraft: (input: DraftInput) => renderDraft(offlineDraft(input)),
    async *stream(): AsyncGenerator<ModelChunk> {
      await Promise.resolve();
      yield { type: "text", text: chatReply };
      yield { type: "finish", reason: "stop" };
    },
  };
}
