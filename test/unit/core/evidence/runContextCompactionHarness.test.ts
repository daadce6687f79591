import assert from "node:assert/strict";
import fc from "fast-check";
import { emptyDraft, renderDraft } from "../../../../src/core/capsule/draft.ts";
import { parseContextSummary } from "../../../../src/core/capsule/parse.ts";
import { renderContextSummary } from "../../../../src/core/capsule/render.ts";
import { sha256Hex } from "../../../../src/core/digest.ts";
import type {
  ContextCompactionFixture,
  ContextCompactionRequest,
} from "../../../../src/core/evidence/fixture.ts";
import { runContextCompactionHarness } from "../../../../src/core/evidence/runContextCompactionHarness.ts";
import { calls, result, user } from "../messageBuilders.ts";
import { perfect, perfectDraft, whole } from "./scriptedSummarizers.ts";

const RULE = "Never push to main.";
const PORT = "The port must be 19317.";
const filler = (id: string) => [
  calls(`${id}a`, `${id}c`),
  result(`${id}t`, `${id}c`, "line of a log\n".repeat(400)),
];

const fixture: ContextCompactionFixture = {
  id: "two rules",
  rounds: [
    {
      messages: [user("u1", RULE), ...filler("1")],
      expected: [{ kind: "constraint", text: RULE, critical: true }],
    },
    {
      messages: [user("u2", PORT), ...filler("2")],
      expected: [
        { kind: "constraint", text: RULE, critical: true },
        { kind: "constraint", text: PORT, critical: true },
      ],
    },
    {
      messages: [user("u3", "Go on."), ...filler("3")],
      expected: [
        { kind: "constraint", text: RULE, critical: true },
        { kind: "constraint", text: PORT, critical: true },
      ],
    },
  ],
};

describe("runContextCompactionHarness", () => {
  for (const completion of ["none", "code"] as const) {
    it(`a perfect summarizer is stable, completion ${completion}`, async () => {
      const report = await runContextCompactionHarness(fixture, perfect(fixture, completion), { completion });
      assert.deepEqual(report.failures, []);
      const { results: _results, meanCompressionRatio, ...numbers } = report;
      assert.deepEqual(numbers, {
        fixtureId: "two rules",
        repetitions: 5,
        rounds: 15,
        validRounds: 15,
        criticalAnchorRecall: 1,
        weightedAnchorRecall: 1,
        exactRecoveryCoverage: 1,
        stable: true,
        failures: [],
      });
      assert.ok(meanCompressionRatio > 0 && meanCompressionRatio < 1);
    });
  }

  it("repetitions 0 fails first, default 5", async () => {
    let called = 0;
    const summarize = () => {
      called += 1;
      return "{}";
    };
    for (const repetitions of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(runContextCompactionHarness(fixture, summarize, { repetitions }), {
        code: "invalid_options",
        message: /repetitions/,
      });
    }
    assert.equal(called, 0);
    const report = await runContextCompactionHarness(fixture, summarize);
    assert.equal(report.repetitions, 5);
    assert.equal(called, 15);
  });

  it("refuses a fixture that measures nothing, before any call", async () => {
    const [first] = fixture.rounds;
    assert.ok(first !== undefined);
    const broken: ContextCompactionFixture["rounds"][] = [
      [],
      [{ messages: [], expected: [] }],
      [first, first],
      [{ ...first, retainedTokens: -1 }],
      [{ ...first, expected: [{ kind: "fact", text: "x", weight: Number.NaN }] }],
    ];
    for (const rounds of broken) {
      const summarize = () => assert.fail("called");
      await assert.rejects(runContextCompactionHarness({ id: "f", rounds }, summarize), {
        code: "invalid_options",
      });
    }
  });

  it("gives the summarizer what leaves, the previous capsule, all sources and an instruction", async () => {
    const requests: ContextCompactionRequest[] = [];
    await runContextCompactionHarness(
      fixture,
      (request) => {
        requests.push(request);
        return whole(perfectDraft(fixture, request), request);
      },
      { repetitions: 1 },
    );
    const [first, second] = requests;
    assert.equal(first?.previous, undefined);
    assert.deepEqual(first?.messages, fixture.rounds[0]?.messages);
    assert.ok(first?.instruction.includes('"id":"u1","required":true,"digest":'));
    assert.equal(second?.previous?.generation, 1);
    assert.equal(second?.round, 2);
    assert.deepEqual(
      second?.sources.filter(({ required }) => required).map(({ segmentId }) => segmentId),
      ["u2"],
    );
    assert.ok(second?.instruction.includes("The generation is 2"));
  });

  it("throwing adapter recorded, with the line begun anew and the loop going on", async () => {
    const report = await runContextCompactionHarness(
      fixture,
      (request) => {
        if (request.repetition === 1 && request.round === 2) throw new Error("boom\n  at the wire");
        return whole(perfectDraft(fixture, request), request);
      },
      { repetitions: 2 },
    );
    assert.deepEqual(report.failures, [
      "repetition_1:round_2:adapter:boom at the wire",
      "repetition_1:round_3:evaluation",
    ]);
    assert.equal(report.validRounds, 5);
    assert.equal(report.results[2]?.summary?.generation, 1);
    assert.equal(report.stable, false);
    assert.equal(report.criticalAnchorRecall, 6 / 10);
  });

  it("records anything that an adapter throws or answers", async () => {
    const odd: unknown[] = ["text", undefined, Object.create(null), new Error("")];
    for (const thrown of odd) {
      const report = await runContextCompactionHarness(
        fixture,
        () => {
          throw thrown;
        },
        { repetitions: 1 },
      );
      assert.equal(report.failures.length, 3);
      assert.match(report.failures[0] ?? "", /^repetition_1:round_1:adapter:/);
    }
    const report = await runContextCompactionHarness(fixture, () => 7 as unknown as string, {
      repetitions: 1,
    });
    assert.match(report.failures[0] ?? "", /adapter:the summarizer answered with number/);
  });

  it("malformed is never an empty valid summary", async () => {
    const malformed = [
      "",
      "   ",
      "{}",
      "null",
      "[]",
      "I cannot help with that.",
      '{"objective": "x"',
      "{}\n{}",
    ];
    for (const completion of ["none", "code"] as const) {
      for (const reply of malformed) {
        const report = await runContextCompactionHarness(fixture, () => reply, {
          repetitions: 1,
          completion,
        });
        assert.equal(report.validRounds, 0, reply);
        assert.deepEqual(
          report.failures,
          [1, 2, 3].map((round) => `repetition_1:round_${round}:parse`),
        );
        assert.equal(report.criticalAnchorRecall, 0);
        assert.equal(report.meanCompressionRatio, 1);
      }
    }
  });

  it("a round that is not valid recovers nothing", async () => {
    const [first] = fixture.rounds;
    assert.ok(first !== undefined);
    const recovering = { id: "r", rounds: [{ ...first, expectedRecoveryDigests: ["a".repeat(64)] }] };
    const report = await runContextCompactionHarness(recovering, () => "", { repetitions: 1 });
    assert.equal(report.exactRecoveryCoverage, 0);
  });

  it("after a failure what left before is no longer of the line", async () => {
    const report = await runContextCompactionHarness(
      fixture,
      (request) => {
        if (request.round === 2) return "";
        const reply = whole(perfectDraft(fixture, request), request);
        const summary = parseContextSummary(reply);
        if (request.round !== 3 || summary === undefined) return reply;
        const digest = sha256Hex(RULE);
        return renderContextSummary({ ...summary, citations: [{ segmentId: "u1", digest, what: "a rule" }] });
      },
      { repetitions: 1 },
    );
    assert.deepEqual(report.failures, [
      "repetition_1:round_2:parse",
      `repetition_1:round_3:citation_unknown:${sha256Hex(RULE)}`,
    ]);
  });

  it("says why a reply is no draft beside the code", async () => {
    const report = await runContextCompactionHarness(fixture, () => "I'm sorry, I can't do that.", {
      repetitions: 1,
      completion: "code",
    });
    assert.equal(report.results[0]?.reply, "reply_refused");
  });

  it("one drifting repetition named: a paraphrase in the third of five", async () => {
    const report = await runContextCompactionHarness(fixture, (request) => {
      const draft = perfectDraft(fixture, request);
      const reply = whole(draft, request);
      if (request.repetition !== 3 || request.round !== 1) return reply;
      return reply.replace(`"text":"${RULE}"`, '"text":"Do not push to main."');
    });
    assert.deepEqual(report.failures, [
      "repetition_3:round_1:anchor_text_not_in_source:constraint.1.1",
      "repetition_3:round_2:evaluation",
      "repetition_3:round_3:evaluation",
    ]);
    assert.equal(report.stable, false);
  });

  it("a lost commitment is a failed transition, named by its key", async () => {
    const report = await runContextCompactionHarness(
      fixture,
      (request) => {
        const reply = whole(perfectDraft(fixture, request), request);
        const summary = parseContextSummary(reply);
        if (request.round !== 2 || summary === undefined) return reply;
        const anchors = summary.anchors.filter(({ text }) => text !== RULE);
        return renderContextSummary({ ...summary, anchors });
      },
      { repetitions: 1 },
    );
    assert.equal(report.failures[0], "repetition_1:round_2:critical_anchor_lost:constraint.1.1");
    assert.equal(report.results[1]?.valid, false);
  });

  it("a draft completed by code keeps every prior anchor whatever the model wrote", async () => {
    const junk = fc.constantFrom(
      renderDraft(emptyDraft()),
      renderDraft({
        ...emptyDraft(),
        anchors: [
          {
            kind: "constraint",
            text: "invented",
            critical: true,
            sourceSegmentId: "u2",
            supersedes: ["constraint.1.1"],
          },
          {
            kind: "constraint",
            text: "line of a log",
            critical: true,
            sourceSegmentId: "2t#2c",
            supersedes: ["constraint.1.1"],
          },
        ],
      }),
    );
    await fc.assert(
      fc.asyncProperty(junk, junk, async (second, third) => {
        const report = await runContextCompactionHarness(
          fixture,
          (request) =>
            request.round === 1
              ? renderDraft(perfectDraft(fixture, request))
              : request.round === 2
                ? second
                : third,
          { repetitions: 1, completion: "code" },
        );
        assert.equal(report.validRounds, 3);
        const last = report.results[2]?.summary;
        assert.ok(last?.anchors.some(({ text, critical }) => critical && text === RULE));
        assert.deepEqual(
          last?.anchors.filter(({ critical }) => critical).map(({ text }) => text),
          [RULE],
        );
      }),
      { numRuns: 20 },
    );
  });

  it("not smaller is a failed evaluation without completion and a failed transition with it", async () => {
    const small: ContextCompactionFixture = {
      id: "small",
      rounds: [
        { messages: [user("u1", RULE)], expected: [{ kind: "constraint", text: RULE, critical: true }] },
      ],
    };
    const failures = async (completion: "none" | "code") =>
      (await runContextCompactionHarness(small, perfect(small, completion), { repetitions: 1, completion }))
        .failures;
    assert.deepEqual(await failures("none"), ["repetition_1:round_1:evaluation"]);
    assert.deepEqual(await failures("code"), ["repetition_1:round_1:not_smaller"]);
  });

  it("a retained tail counts as after", async () => {
    const [first] = fixture.rounds;
    assert.ok(first !== undefined);
    const kept = { id: "kept", rounds: [{ ...first, retainedTokens: 1_000_000 }] };
    const report = await runContextCompactionHarness(kept, perfect(kept, "none"), { repetitions: 1 });
    assert.deepEqual(report.failures, ["repetition_1:round_1:evaluation"]);
    assert.equal(report.criticalAnchorRecall, 1);
  });

  it("makes no call after an abort, tells each round as it ends, and still reports every round", async () => {
    const stopping = new AbortController();
    let called = 0;
    const told: number[] = [];
    const report = await runContextCompactionHarness(
      fixture,
      (request) => {
        called += 1;
        if (called === 2) stopping.abort();
        return whole(perfectDraft(fixture, request), request);
      },
      { repetitions: 1, signal: stopping.signal, onRound: ({ round }) => told.push(round) },
    );
    assert.equal(called, 2);
    assert.deepEqual(told, [1, 2, 3]);
    assert.deepEqual(report.failures, ["repetition_1:round_3:adapter:cancelled"]);
  });
});
