import assert from "node:assert/strict";
import fc from "fast-check";
import type { CompactOutcome } from "../../../../src/core/compactionOutcome.ts";
import { ModelError } from "../../../../src/core/model.ts";
import type { EndState } from "../../../../src/core/records.ts";
import { SessionError } from "../../../../src/sessions/session.ts";
import {
  age,
  byteSize,
  didCompact,
  errorSentence,
  excerpt,
  failureSentence,
  nextStep,
  outcomeSentences,
  shortTokens,
  wholePercent,
} from "../../../../src/vscode/words.ts";

const outcome: CompactOutcome = {
  runId: "r1",
  state: "summarized",
  reason: "summary_accepted",
  nextAction: "continue",
  failures: [],
  messages: [],
  before: 81_234,
  after: 12_400,
  retired: [],
  carriedOutKeys: [],
  evictedCount: 0,
  floorParts: [],
  receipts: [],
};

const endings: Readonly<Record<EndState, Partial<CompactOutcome>>> = {
  evicted: { reason: "evicted_enough", evictedCount: 3 },
  summarized: { reason: "summary_accepted" },
  nothing_to_do: { reason: "nothing_leaves" },
  declined: { reason: "too_many_commitments" },
  rejected: { reason: "reply_rejected", failures: ["reply_empty"] },
  cancelled: { reason: "cancelled_by_person" },
  timed_out: { reason: "no_chunk_in_time" },
  provider_error: { reason: "model_failed", error: { code: "authentication", message: "401 Unauthorized" } },
  stopped: { reason: "floor_at_ceiling", floorParts: [{ what: "tools", tokens: 9000 }] },
};

const sentenceOf = (state: EndState): string => outcomeSentences({ ...outcome, ...endings[state], state });
const states = Object.keys(endings) as EndState[];

describe("words of an outcome", () => {
  it("say “compacted” for the first two end states alone", () => {
    for (const state of states) {
      assert.equal(
        /compacted/i.test(sentenceOf(state)),
        state === "evicted" || state === "summarized",
        state,
      );
      assert.equal(didCompact(state), state === "evicted" || state === "summarized");
    }
  });

  it("differ for every end state, and say that nothing changed where nothing did", () => {
    assert.equal(new Set(states.map(sentenceOf)).size, states.length);
    for (const state of ["declined", "rejected", "cancelled", "timed_out", "provider_error"] as const) {
      assert.match(sentenceOf(state), /nothing changed/);
    }
  });

  it("give the reason, the failed check, the provider's own words and the largest part", () => {
    assert.equal(
      sentenceOf("nothing_to_do"),
      "Nothing worth compacting. Everything in the context is recent, pinned or the first request.",
    );
    assert.match(sentenceOf("rejected"), /The model's reply was empty\.$/);
    assert.match(sentenceOf("provider_error"), /did not accept the sign-in or key\. \(“401 Unauthorized”\)$/);
    assert.match(sentenceOf("stopped"), /The largest part is the tool definitions with 9k tokens\.$/);
  });

  it("say why a session could not be written", () => {
    const stopped = (code: string) =>
      outcomeSentences({
        ...outcome,
        state: "stopped",
        reason: "write_failed",
        error: { code, message: "own words" },
      });
    assert.equal(
      stopped("disk_full"),
      "Stopped. The disk is full; nothing was changed. Make room and try again.",
    );
    assert.match(stopped("file_changed"), /^Stopped\. Another program removed or changed the session's file/);
    assert.equal(stopped("EWHAT"), "Stopped. The session could not be written.");
  });

  it("say of a capsule that is not smaller that nothing is worth compacting", () => {
    const text = outcomeSentences({
      ...outcome,
      state: "rejected",
      reason: "gain_too_small",
      failures: ["not_smaller"],
    });
    assert.match(
      text,
      /nothing changed\. There is nothing worth compacting\. The new context would not be smaller\.$/,
    );
  });

  it("name the failure of a summary beside an eviction", () => {
    const text = outcomeSentences({
      ...outcome,
      state: "evicted",
      evictedCount: 1,
      summaryFailure: { state: "rejected", reason: "reply_rejected", failures: ["reply_cut_off", "schema"] },
    });
    assert.match(text, /^Compacted from 81k to 12k tokens: 1 part left/);
    assert.match(text, /No summary was made after that\..*cut off\. \(1 more\)$/);
  });

  it("name every retired commitment with the sentence that retired it", () => {
    const retired = [
      { key: "a", text: "Never push", byKey: "b", sentence: "you may push now" },
      { key: "c", text: "Use tabs", byKey: "d", sentence: "spaces from now on" },
    ];
    const text = outcomeSentences({ ...outcome, retired });
    assert.match(text, /“Never push”, because you said “you may push now”/);
    assert.match(text, /“Use tabs”, because you said “spaces from now on”/);
  });
});

describe("failureSentence", () => {
  const codes = [
    ...["schema", "generation", "system", "shape", "capsule_count", "root_intent", "tail", "not_smaller"],
    ...["reply_empty", "reply_reasoning_only", "reply_cut_off", "reply_refused", "reply_tool_call"],
    ...["reply_prose", "reply_two_objects", "source_duplicate:m1", "anchor_source_missing:k"],
    ...["anchor_source_digest:k", "source_required_uncovered:m1", "anchor_text_not_in_source:k"],
    ...["anchor_critical_untrusted:k", "critical_anchor_lost:k", "anchor_supersedes_unknown:k:old"],
    ...["anchor_supersedes_untrusted:k:old", "anchor_superseded_present:k:old", "anchor_key_reused:k"],
    ...["citation_unknown:d1", "pinned_lost:m1"],
  ];
  it("has words of its own for every code of the contract", () => {
    const sentences = codes.map(failureSentence);
    assert.equal(new Set(sentences).size, codes.length);
    for (const sentence of sentences) assert.doesNotMatch(sentence, /failed the check/);
  });

  it("names what follows the colon, and an unknown code as it is", () => {
    assert.match(failureSentence("critical_anchor_lost:no:push"), /“no:push”/);
    assert.match(failureSentence("anchor_supersedes_unknown:new:old"), /new:old/);
    assert.match(failureSentence("constructor"), /“constructor”/);
  });
});

describe("errorSentence", () => {
  it("tells coded errors apart and says nothing of a cancelled task", () => {
    assert.match(errorSentence(new SessionError("disk_full", "ENOSPC")) ?? "", /disk is full/);
    assert.match(errorSentence(new ModelError("rate", "429")) ?? "", /slow down.*429/);
    assert.equal(errorSentence(new ModelError("cancelled", "x")), undefined);
    for (const name of ["Canceled", "AbortError"]) {
      assert.equal(errorSentence(Object.assign(new Error("x"), { name })), undefined);
    }
    assert.equal(errorSentence(new Error("boom")), "Something went wrong: boom");
    assert.equal(errorSentence("plain"), "Something went wrong: plain");
  });
});

describe("nextStep", () => {
  it("gives nothing for none, and the session to commands that need one", () => {
    assert.equal(nextStep("none", "s1"), undefined);
    assert.deepEqual(nextStep("take_over_session", "s1")?.arguments, ["s1"]);
    assert.deepEqual(nextStep("raise_context_budget", "s1")?.arguments, ["contextCapsule.contextBudget"]);
  });
});

describe("numbers", () => {
  const tokens: readonly [number, string][] = [
    [0, "0"],
    [999, "999"],
    [999.6, "1000"],
    [1000, "1k"],
    [8149, "8.1k"],
    [9950, "10k"],
    [81_234, "81k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_250_000, "1.3M"],
  ];
  for (const [given, shown] of tokens)
    it(`${given} tokens → ${shown}`, () => assert.equal(shortTokens(given), shown));

  it("never shows a percent outside 0 to 100, and 100 only when full", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -2, max: 5 }), (fraction) => {
        const percent = wholePercent(fraction);
        assert.ok(percent >= 0 && percent <= 100);
        assert.equal(percent === 100, fraction >= 1);
      }),
    );
  });

  it("ages and sizes", () => {
    assert.equal(age(1000, 30_000), "now");
    assert.equal(age(60_000, 0), "now");
    assert.equal(age(Number.NaN, 0), "now");
    assert.equal(age(0, 3_599_999), "59 min. ago");
    assert.equal(age(0, 3 * 86_400_000), "3 days ago");
    assert.equal(byteSize(999), "999 B");
    assert.equal(byteSize(1_250_000), "1.3 MB");
  });

  it("an excerpt is one line and never cuts a character apart", () => {
    assert.equal(excerpt("a\n  b"), "a b");
    assert.equal(excerpt("👍".repeat(5), 3), "👍👍…");
  });
});
