import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Basis, Message, Usage } from "../../../src/core/messages.ts";
import type { BranchItem, UsageReading } from "../../../src/core/records.ts";
import { isBelievable, RATIO_BOUNDS, UsedTokensFold } from "../../../src/engine/usedTokens.ts";
import { assistant, textOfTokens, user } from "../core/messageBuilders.ts";

const MODEL = "acme/gpt";

function said(message: Message, usageBasis?: Basis): BranchItem {
  return { type: "message", message, at: 5, ...(usageBasis === undefined ? {} : { usageBasis }) };
}

function replied(tokens: number, usage: Usage, id = "a"): Message {
  return { ...assistant(id, textOfTokens(tokens)), usage: { model: MODEL, ...usage } };
}

function counted(tokens: number, changes: Partial<UsageReading> = {}): BranchItem {
  const reading = {
    modelId: MODEL,
    basis: "counted",
    throughMessageId: "u",
    tokens,
    ownTokens: 0,
    at: 7,
  } as const;
  return { type: "usage", reading: { ...reading, ...changes } };
}

function fold(...items: BranchItem[]): UsedTokensFold {
  const used = new UsedTokensFold(MODEL);
  for (const item of items) used.apply(item);
  return used;
}

const question = said(user("u", textOfTokens(1000)));

describe("used tokens", () => {
  it("are unknown to providers until one gave a number; our own count goes on", () => {
    const used = fold(question);
    assert.deepEqual([used.reported, used.ownTokens, used.isCurrent], [undefined, 1000, false]);
  });

  it("are what a reply reported: everything read, cached or not, and the reply", () => {
    const used = fold(
      question,
      said(replied(100, { inputTokens: 1200, outputTokens: 90, cacheReadTokens: 1100 })),
    );
    assert.deepEqual(used.reported, { tokens: 1290, basis: "reported", measuredAt: 5, modelId: MODEL });
    assert.equal(used.isCurrent, true);
  });

  it("are the newest number, not the sum of several snapshots", () => {
    const used = fold(question, counted(1500), said(replied(100, { inputTokens: 1510, outputTokens: 90 })));
    assert.equal(used.reported?.tokens, 1600);
  });

  it("are projected with the learned ratio once something came after", () => {
    const used = fold(question, counted(1500), said(user("v", textOfTokens(200))));
    assert.equal(used.ratio, 1.5);
    assert.deepEqual(used.reported, { tokens: 1800, basis: "projected", measuredAt: 7, modelId: MODEL });
    assert.equal(used.isCurrent, false);
  });

  it("learn no ratio outside bounds, nor from little text", () => {
    assert.equal(fold(question, counted(9000)).ratio, RATIO_BOUNDS.most);
    assert.equal(fold(said(user("u", "Hi")), counted(300)).ratio, 1);
  });

  it("of another model are no numbers of this one", () => {
    const used = fold(question, counted(1500, { modelId: "b/other" }));
    assert.equal(used.reported, undefined);
  });

  it("of an imported file count as imported, and give way to a live number", () => {
    const imported = said(replied(100, { inputTokens: 1200, outputTokens: 90 }), "imported");
    const used = fold(question, imported, said(user("v", textOfTokens(100))));
    assert.equal(used.reported?.basis, "imported");
    assert.equal(used.isCurrent, false);
    assert.equal(fold(question, imported, counted(1500)).reported?.basis, "counted");
    assert.equal(fold(question, counted(1500), imported).reported?.basis, "projected");
  });

  for (const tokens of [0, -5, Number.NaN, Number.POSITIVE_INFINITY, 499]) {
    it(`are not believed: ${tokens} for 1000 of our own`, () => {
      assert.equal(fold(question, counted(tokens)).reported, undefined);
    });
  }

  it("are believed from half of our own count on, and however large", () => {
    assert.equal(isBelievable(500, 1000), true);
    assert.equal(fold(question, counted(5_000_000)).reported?.tokens, 5_000_000);
  });

  it("shrink with a compaction by our own measure, and come back with the undo of it", () => {
    const used = fold(question, counted(2000));
    used.apply({ type: "undo", runId: "r", before: 1000, after: 250 });
    assert.deepEqual([used.reported?.tokens, used.reported?.basis, used.ownTokens], [500, "projected", 250]);
    used.apply({ type: "undo", runId: "s", before: 250, after: 1000 });
    assert.deepEqual([used.reported?.tokens, used.ownTokens], [2000, 1000]);
  });

  it("come back to the token, however often a compaction is undone", () => {
    const used = fold(said(user("u", textOfTokens(6114))), counted(21_562));
    for (let round = 0; round < 100; round += 1) {
      used.apply({ type: "undo", runId: "r", before: 6114, after: 1638 });
      assert.equal(used.reported?.tokens, 5777);
      used.apply({ type: "undo", runId: "s", before: 1638, after: 6114 });
      assert.equal(used.reported?.tokens, 21_562);
    }
  });

  it("follow what the person's hand brings in and takes out", () => {
    const used = fold(question, counted(1000));
    used.replaced([user("x", textOfTokens(50))], [user("y", textOfTokens(150))]);
    assert.equal(used.ownTokens, 900);
    assert.equal(used.reported?.tokens, 900);
  });
});
