import { acceptReplacement } from "../capsule/accept.ts";
import { completeDraft } from "../capsule/carry.ts";
import type { ContextSummary, ContextSummarySource } from "../capsule/contextSummary.ts";
import { parseContextSummary } from "../capsule/parse.ts";
import type { ReplyFailure } from "../capsule/readReply.ts";
import { readReply } from "../capsule/readReply.ts";
import { contextSummarySources, leavingSegments } from "../capsule/sources.ts";
import { summaryMessage } from "../capsule/summaryMessage.ts";
import { validateContextSummaryTransition } from "../capsule/transition.ts";
import { estimateContext } from "../estimate.ts";
import type { Message } from "../messages.ts";
import { DEFAULT_CONTEXT_WINDOW } from "../policy.ts";

/**
 * How a reply becomes a capsule. `none`: it is one, complete with keys and digests. `code`: it is a draft that takes
 * the product's own path, `completeDraft` and `acceptReplacement`.
 */
export type Completion = "none" | "code";

export type Judgement =
  | { readonly ok: true; readonly summary: ContextSummary }
  | {
      readonly ok: false;
      /** `parse`, or codes of contract section 5. */
      readonly failures: readonly string[];
      /** With `parse` and completion by code: why the reply is no draft. */
      readonly reply?: ReplyFailure;
    };

/** One line of capsules, each made of the one before and of new messages; starts anew after a failure. */
export class CapsuleLineage {
  readonly #completion: Completion;
  #previous: ContextSummary | undefined;
  /** Digest → segment id of all that left since the line began. */
  #left = new Map<string, string>();

  constructor(completion: Completion) {
    this.#completion = completion;
  }

  get previous(): ContextSummary | undefined {
    return this.#previous;
  }

  /** The context that a round compacts: the capsule, if there is one, and what is new. */
  contextOf(messages: readonly Message[]): Message[] {
    return this.#previous === undefined ? [...messages] : [summaryMessage(this.#previous), ...messages];
  }

  sourcesOf(messages: readonly Message[]): ContextSummarySource[] {
    const stays = new Set(messages.filter(({ role }) => role === "system").map(({ id }) => id));
    return contextSummarySources(this.contextOf(messages), { stays });
  }

  /** Judges a reply; the line goes on with an accepted capsule and stays as it is otherwise. */
  judge(reply: string, messages: readonly Message[]): Judgement {
    const judgement =
      this.#completion === "code" ? this.#judgeDraft(reply, messages) : this.#judgeWhole(reply, messages);
    if (!judgement.ok) return judgement;
    for (const [segmentId, digest] of leavingSegments(this.sourcesOf(messages), this.#left)) {
      this.#left.set(digest, segmentId);
    }
    this.#previous = judgement.summary;
    return judgement;
  }

  reset(): void {
    this.#previous = undefined;
    this.#left = new Map();
  }

  #judgeWhole(reply: string, messages: readonly Message[]): Judgement {
    const summary = parseContextSummary(reply);
    if (summary === undefined) return { ok: false, failures: ["parse"] };
    const sources = this.sourcesOf(messages);
    const { ok, failures } = validateContextSummaryTransition(summary, this.#previous, sources, {
      left: this.#left,
    });
    return ok ? { ok, summary } : { ok, failures };
  }

  #judgeDraft(text: string, messages: readonly Message[]): Judgement {
    const reply = readReply({ text });
    if (!reply.ok) return { ok: false, failures: ["parse"], reply: reply.code };
    const shared = { previous: this.#previous, left: this.#left };
    const completed = completeDraft({
      ...shared,
      draft: reply.draft,
      sources: this.sourcesOf(messages),
      ceilingTokens: DEFAULT_CONTEXT_WINDOW,
    });
    if (!completed.ok) return { ok: false, failures: [completed.code] };
    const { summary } = completed;
    const system = messages.filter(({ role }) => role === "system");
    const { ok, failures } = acceptReplacement({
      ...shared,
      summary,
      before: this.contextOf(messages),
      after: [...system, summaryMessage(summary)],
      pinnedIds: [],
      rootId: null,
      tailFrom: undefined,
      measure: estimateContext,
    });
    return ok ? { ok, summary } : { ok, failures };
  }
}
