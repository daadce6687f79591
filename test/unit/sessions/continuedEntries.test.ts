import assert from "node:assert/strict";
import type { ContextSummary } from "../../../src/core/capsule/contextSummary.ts";
import type { Message } from "../../../src/core/messages.ts";
import type { ContextState } from "../../../src/core/projection.ts";
import { projectContext } from "../../../src/core/projection.ts";
import type { BranchItem, CompactionReceipt } from "../../../src/core/records.ts";
import { continuedEntries } from "../../../src/sessions/continuedEntries.ts";
import { isChainEntry } from "../../../src/sessions/entries.ts";

const say = (id: string, role: Message["role"] = "user"): Message => ({
  id,
  role,
  content: [{ type: "text", text: `text of ${id}` }],
});
const item = (message: Message): BranchItem =>
  ({ type: "message", id: message.id, at: 1, message }) as BranchItem;

const summary: ContextSummary = {
  schemaVersion: 2,
  generation: 3,
  objective: "Move the table",
  constraintsRestated: [],
  decisions: [],
  artifacts: [],
  facts: [],
  state: { completed: [], active: [], blocked: [] },
  next: [],
  citations: [],
  lookupHints: [],
  anchors: [
    {
      key: "no-push",
      kind: "constraint",
      text: "Never push",
      critical: true,
      sourceSegmentId: "u2",
      sourceDigest: "0".repeat(64),
      supersedes: [],
    },
  ],
};
const receipt = { index: 1, state: "summarized", before: 90, after: 30 } as unknown as CompactionReceipt;

/** System, a root, a pin and a capsule in the place of u2, a tail of one message. */
function compacted(): ContextState {
  const through = say("u4");
  return projectContext([
    item(say("s1", "system")),
    item(say("u1")),
    item(say("u2")),
    item(say("u3")),
    item(through),
    {
      type: "commitment",
      id: "p1",
      at: 1,
      record: { id: "p1", action: "pin", messageId: "u3" },
    } as BranchItem,
    {
      type: "compaction",
      id: "c1",
      at: 1,
      record: {
        runId: "r1",
        receipt,
        beforeHash: "",
        throughMessageId: "u4",
        summary,
        capsuleText: "the capsule's text",
        firstKeptMessageId: "u4",
        firstKeptOrdinal: 4,
        rootId: "u1",
        heldIds: [],
        left: [["u2", "d".repeat(64)]],
      },
    } as BranchItem,
  ]);
}

function continued(context: ContextState): ContextState | undefined {
  let number = 0;
  const entries = continuedEntries(context, { newId: () => `new-${++number}`, now: 5 });
  return entries && projectContext(entries.filter(isChainEntry));
}

describe("continuedEntries", () => {
  it("give a session with system, root, pins and the same capsule, and an empty tail", () => {
    const before = compacted();
    assert.deepEqual(
      before.messages.map(({ id }) => id),
      ["s1", "u1", "u3", "capsule-r1-3", "u4"],
    );
    const after = continued(before);
    assert.ok(after);
    assert.deepEqual(after.messages.slice(0, 3), before.messages.slice(0, 3));
    assert.equal(after.messages.length, 4);
    assert.deepEqual(after.messages[3]?.content, before.messages[3]?.content);
    assert.deepEqual(after.summary, summary);
    assert.deepEqual(after.brokenBoundaries, []);
    assert.equal(after.rootId, "u1");
    assert.deepEqual([...after.pinnedIds], ["u3"]);
  });

  it("keep what left known, so that the next capsule may cite it", () => {
    assert.deepEqual([...(continued(compacted())?.left ?? [])], [["d".repeat(64), "u2"]]);
  });

  it("give the next boundary the capsule as its previous one", () => {
    assert.equal(continued(compacted())?.generations.at(-1)?.generation, 3);
  });

  it("are undefined without a capsule", () => {
    assert.equal(
      continuedEntries(projectContext([item(say("u1"))]), { newId: () => "x", now: 1 }),
      undefined,
    );
  });

  it("stand even where nothing was held", () => {
    const before = compacted();
    const after = continued({
      ...before,
      messages: before.messages.slice(3),
      rootId: undefined,
      pinnedIds: new Set(),
    });
    assert.deepEqual(after?.brokenBoundaries, []);
    assert.deepEqual(after?.messages.map(({ kind }) => kind).includes("capsule"), true);
  });
});
