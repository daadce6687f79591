import assert from "node:assert/strict";
import { emptyDraft, renderDraft } from "../../../../src/core/capsule/draft.ts";
import { contextCompactionCorpus as corpus } from "../../../../src/core/evidence/corpus/contextCompactionCorpus.ts";
import { loadContextCompactionCorpus } from "../../../../src/core/evidence/corpus/loadContextCompactionCorpus.ts";
import { runContextCompactionHarness } from "../../../../src/core/evidence/runContextCompactionHarness.ts";
import { isUserSource, textOf } from "../../../../src/core/messages.ts";
import { offlineDraft } from "../../../../src/models/offline/offlineDraft.ts";
import { perfect, perfectDraft } from "./scriptedSummarizers.ts";

const SUBJECTS = [
  "delayed-constraints",
  "changed-decisions",
  "exact-paths-and-commands",
  "tool-injection",
  "interrupted-work",
  "parallel-tools",
  "look-alike-facts",
  "retraction",
  "unicode-look-alikes",
];

describe("the shipped corpus", () => {
  it("is read when it is asked for", async () => {
    assert.deepEqual(await loadContextCompactionCorpus(), corpus);
  });

  it("has a fixture for every subject, each of three rounds or more, with tools", () => {
    const ids = corpus.map(({ id }) => id);
    for (const subject of SUBJECTS) assert.ok(ids.includes(subject), subject);
    assert.equal(new Set(ids).size, ids.length);
    for (const { id, rounds } of corpus) {
      assert.ok(rounds.length >= 3, id);
      for (const { messages } of rounds) {
        const types = new Set(messages.flatMap(({ content }) => content.map(({ type }) => type)));
        assert.ok(types.has("text") && types.has("tool-call") && types.has("tool-result"), id);
      }
    }
  });

  it("expects only what a user said, word for word, in this round or before", () => {
    for (const { id, rounds } of corpus) {
      const said: string[] = [];
      for (const { messages, expected } of rounds) {
        said.push(...messages.filter(isUserSource).map(textOf));
        for (const { text } of expected)
          assert.ok(
            said.some((one) => one.includes(text)),
            `${id}: ${text}`,
          );
      }
    }
  });

  for (const fixture of corpus) {
    for (const completion of ["none", "code"] as const) {
      it(`${fixture.id}: a perfect summarizer is stable, completion ${completion}`, async () => {
        const report = await runContextCompactionHarness(fixture, perfect(fixture, completion), {
          repetitions: 2,
          completion,
        });
        assert.deepEqual(report.failures, []);
        assert.equal(report.stable, true);
        assert.equal(report.exactRecoveryCoverage, 1);
      });
    }

    it(`${fixture.id}: a summarizer that says nothing is seen`, async () => {
      const report = await runContextCompactionHarness(fixture, () => renderDraft(emptyDraft()), {
        repetitions: 1,
        completion: "code",
      });
      assert.equal(report.validRounds, report.rounds);
      assert.equal(report.criticalAnchorRecall, 0);
      assert.equal(report.stable, false);
    });

    it(`${fixture.id}: commitments of the first round stand when the model says nothing more`, async () => {
      const report = await runContextCompactionHarness(
        fixture,
        (request) => renderDraft(request.round === 1 ? perfectDraft(fixture, request) : emptyDraft()),
        { repetitions: 1, completion: "code" },
      );
      const first = report.results[0]?.summary?.anchors.filter(({ critical }) => critical);
      const last = report.results.at(-1)?.summary?.anchors.filter(({ critical }) => critical);
      assert.ok((first ?? []).length > 0);
      assert.deepEqual(last, first);
    });

    it(`${fixture.id}: the offline summarizer makes valid transitions and no policy that no user typed`, async () => {
      const report = await runContextCompactionHarness(
        fixture,
        ({ messages, previous, sources }) =>
          renderDraft(offlineDraft({ messages, previous, sources, maxOutputTokens: 4096 })),
        { repetitions: 1, completion: "code" },
      );
      assert.equal(report.validRounds, report.rounds, report.failures.join("\n"));
      const typed = fixture.rounds.flatMap(({ messages }) => messages.filter(isUserSource).map(textOf));
      for (const { summary } of report.results) {
        for (const { critical, text } of summary?.anchors ?? []) {
          assert.ok(!critical || typed.some((one) => one.includes(text)), text);
        }
      }
    });
  }
});
