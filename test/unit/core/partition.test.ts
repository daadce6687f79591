import assert from "node:assert/strict";
import { partitionContext } from "../../../src/core/partition.ts";
import { assistant, system, user } from "./messageBuilders.ts";

describe("partitionContext", () => {
  const messages = [
    system("sys", "s"),
    user("root", "r"),
    assistant("a1", "x"),
    user("pin", "p"),
    user("cap1", "c", "capsule"),
    assistant("a2", "y"),
    system("late", "s2"),
    user("cap2", "c", "capsule"),
    user("u", "z"),
  ];

  it("sorts every message once, in record order; a capsule is never tail", () => {
    const parts = partitionContext(messages, { cut: 6, rootId: "root", pinnedIds: ["pin", "u"] });
    const named = Object.fromEntries(
      Object.entries(parts).map(([name, list]) => [name, list.map((m: { id: string }) => m.id)]),
    );
    assert.deepEqual(named, {
      system: ["sys"],
      held: ["root", "pin"],
      leaving: ["a1", "a2"],
      capsules: ["cap1", "cap2"],
      tail: ["late", "u"],
    });
  });

  it("without a root nothing is held for it", () => {
    const { leaving, tail } = partitionContext(messages, {
      cut: messages.length,
      rootId: undefined,
      pinnedIds: [],
    });
    assert.deepEqual(
      leaving.map(({ id }) => id),
      ["root", "a1", "pin", "a2", "u"],
    );
    assert.deepEqual(tail, []);
  });
});
