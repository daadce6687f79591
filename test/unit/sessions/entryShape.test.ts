import assert from "node:assert/strict";
import type { LogEntry } from "../../../src/sessions/entries.ts";
import { meaningOf, readableEntry } from "../../../src/sessions/entryShape.ts";
import {
  attempt,
  capsule,
  compaction,
  eviction,
  header,
  message,
  receipt,
  toolResult,
} from "./sessionBench.ts";

const base = { id: "e1", at: 1 };
const good: readonly LogEntry[] = [
  header(),
  message("m1", "text"),
  toolResult("m2", "c1", "out"),
  {
    ...base,
    type: "message",
    id: "m3",
    message: {
      id: "m3",
      role: "assistant",
      kind: "notice",
      content: [
        { type: "tool-call", toolCallId: "c", toolName: "t", input: null },
        { type: "reasoning", text: "r" },
        { type: "image", mediaType: "image/png", data: "" },
      ],
    },
  },
  { ...base, type: "sidechain", message: message("x", "y").message },
  { ...base, type: "foreign", line: 1, text: "", reason: "r" },
  { ...base, type: "boundary" },
  eviction("r1", "m1", "a".repeat(64)),
  compaction("r2", 1, { id: "m1", ordinal: 0 }, [["m1", "a".repeat(64)]]),
  attempt("r3"),
  { ...base, type: "undo", runId: "r1", before: 1, after: 2 },
  { ...base, type: "branch", from: null },
  {
    ...base,
    type: "commitment",
    record: { id: "k", action: "retire", key: "a", text: "t", summary: capsule(2), capsuleText: "" },
  },
  { ...base, type: "model", modelId: "m", name: "M" },
  {
    ...base,
    type: "usage",
    reading: { modelId: "m", basis: "reported", throughMessageId: "m1", tokens: 5, ownTokens: 4, at: 1 },
  },
  { ...base, type: "title", title: "" },
  { ...base, type: "budget", budget: undefined },
  { ...base, type: "automatic", allowed: false },
];

/** What takes a field out of a good entry, or puts something else in its place. */
const bad: readonly (readonly [string, unknown])[] = [
  ["no object", 5],
  ["null", null],
  ["a list", []],
  ["no type", base],
  ["a type that is no text", { ...base, type: 5 }],
  ["a header without a title", { ...header(), title: undefined }],
  ["a header without a format", { ...header(), format: "1" }],
  ["no id", { type: "boundary", at: 1 }],
  ["no time", { type: "boundary", id: "x" }],
  ["a time that is no number", { ...base, type: "boundary", at: Number.NaN }],
  ["a message of another id", { ...message("m1", "x"), id: "m2" }],
  [
    "a message without an id",
    { ...message("m1", "x"), id: "", message: { ...message("m1", "x").message, id: "" } },
  ],
  ["an unknown role", { ...message("m1", "x"), message: { id: "m1", role: "developer", content: [] } }],
  [
    "an unknown kind",
    { ...message("m1", "x"), message: { id: "m1", role: "user", kind: "joke", content: [] } },
  ],
  ["content that is no list", { ...message("m1", "x"), message: { id: "m1", role: "user", content: "x" } }],
  [
    "a part of an unknown type",
    { ...message("m1", "x"), message: { id: "m1", role: "user", content: [{ type: "sound" }] } },
  ],
  [
    "a part without its text",
    { ...message("m1", "x"), message: { id: "m1", role: "user", content: [{ type: "text" }] } },
  ],
  ["a null part", { ...message("m1", "x"), message: { id: "m1", role: "user", content: [null] } }],
  [
    "a result without output",
    {
      ...toolResult("m1", "c", "x"),
      message: { id: "m1", role: "tool", content: [{ type: "tool-result", toolCallId: "c", toolName: "t" }] },
    },
  ],
  [
    "a blob of no digest",
    { ...message("m1", ""), blobs: [{ part: 0, digest: "../../etc/passwd", bytes: 1 }] },
  ],
  ["an eviction without a receipt", { ...base, type: "eviction", record: { runId: "r", evicted: [] } }],
  [
    "an eviction of nothing known",
    { ...base, type: "eviction", record: { runId: "r", receipt: receipt(), evicted: [{}] } },
  ],
  [
    "a compaction without a capsule",
    {
      ...base,
      type: "compaction",
      record: { ...compaction("r", 1, { id: "m", ordinal: 0 }).record, summary: {} },
    },
  ],
  [
    "a compaction that left no pairs",
    {
      ...base,
      type: "compaction",
      record: { ...compaction("r", 1, { id: "m", ordinal: 0 }).record, left: [["a"]] },
    },
  ],
  ["an undo of nothing", { ...base, type: "undo" }],
  ["a branch from a number", { ...base, type: "branch", from: 5 }],
  ["a commitment without a record", { ...base, type: "commitment" }],
  ["usage without tokens", { ...base, type: "usage", reading: { modelId: "m", throughMessageId: "m1" } }],
  ["an append mark without lines", { type: "append", bytes: 5 }],
  ["an append mark of less than nothing", { type: "append", bytes: 5, lines: -1 }],
];

describe("the shape of an entry", () => {
  for (const entry of good) {
    it(`is right: ${entry.type} ${entry.id}`, () => {
      assert.deepEqual(meaningOf(JSON.parse(JSON.stringify(entry))), {
        kind: "entry",
        entry: JSON.parse(JSON.stringify(entry)),
      });
      assert.deepEqual(readableEntry(entry), entry);
    });
  }

  for (const [name, value] of bad) {
    it(`is wrong: ${name}`, () => {
      assert.equal(meaningOf(value).kind, "bad");
    });
  }

  it("may be of a type that this version does not know", () => {
    assert.deepEqual(meaningOf({ ...base, type: "hologram" }), { kind: "unknown", type: "hologram" });
  });
});
