import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { createBudgetMeter } from "../../../../src/core/budget/budgetMeter.ts";
import type { MeterRecord } from "../../../../src/core/budget/meterRecord.ts";
import { RequestBounds } from "../../../../src/core/budget/requestBound.ts";
import { summaryOpener } from "../../../../src/core/budget/summarySpend.ts";
import { textOfTokens, user } from "../messageBuilders.ts";
import { ReplyingModel, Summarizer } from "../run/runWorld.ts";

const SUMMARY_TOKENS = 1500;
const DRAFT_TOKENS = 500;
const CAP = 100;

/** A model that counts four characters as a token, and the summary's request as given. */
async function opened(maxTokens: number, headroomCalls: number) {
  const meter = createBudgetMeter({ maxTokens, onExhausted: "compact", compaction: { headroomCalls } });
  const chatModel = new ReplyingModel([]);
  chatModel.countTokens = async () => 400;
  const written: MeterRecord[] = [];
  const open = summaryOpener({
    meter,
    chatModel,
    tools: [],
    outputCapTokens: CAP,
    boundsOf: (model) => new RequestBounds(model),
    newId: () => "summary-1",
    write: async (record) => void written.push(record),
  });
  const call = await open({
    model: new Summarizer(),
    request: { messages: [], tools: [] },
    countedTokens: SUMMARY_TOKENS,
    maxOutputTokens: DRAFT_TOKENS,
    afterAtLeast: [user("u", textOfTokens(100))],
    signal: new AbortController().signal,
  });
  return { call, meter, written };
}

describe("the headroom of a summary", () => {
  const summary = SUMMARY_TOKENS + DRAFT_TOKENS;
  const further = 400 + 16 + DRAFT_TOKENS + CAP;

  it("is what it costs and so many calls in the context after it, to a token", async () => {
    for (const headroomCalls of [0, 1, 3]) {
      const needed = summary + headroomCalls * further;
      assert.notEqual((await opened(needed, headroomCalls)).call, undefined);
      const declined = await opened(needed - 1, headroomCalls);
      assert.deepEqual(
        [declined.call, declined.meter.reading.reserved, declined.written],
        [undefined, 0, []],
      );
    }
  });

  it("only the call itself is put by, and written before it is made", async () => {
    const { call, meter, written } = await opened(10_000, 3);
    assert.equal(meter.reading.reserved, summary);
    assert.deepEqual(
      written.map(({ type }) => type),
      ["reserved"],
    );
    const settled = await call?.settle();
    assert.deepEqual([settled?.settlement, meter.reading.reserved], ["unbilled", 0]);
    assert.deepEqual(
      written.map(({ type }) => type),
      ["reserved", "released"],
    );
  });
});
