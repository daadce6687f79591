import assert from "node:assert/strict";
import { defaultPolicy } from "../../../../src/core/policy.ts";
import type { ChainEntry } from "../../../../src/sessions/entries.ts";
import { isChainEntry } from "../../../../src/sessions/entries.ts";
import type { DocumentAddress } from "../../../../src/vscode/documents/documentAddress.ts";
import { PAGE_LIMIT_BYTES } from "../../../../src/vscode/documents/pageLayout.ts";
import type { DocumentSession } from "../../../../src/vscode/documents/sessionDocuments.ts";
import { SessionDocuments } from "../../../../src/vscode/documents/sessionDocuments.ts";
import { assistant, call, result, SessionRecord, summary, user } from "../sessionRecord.ts";

const settings = {
  policy: defaultPolicy,
  automatic: "ask",
  estimatedMode: false,
  summaryMaxTokens: 8_192,
} as const;
const noModel = async () => ({ model: undefined, settings });

function sessionOf(record: SessionRecord): DocumentSession {
  const branch = record.entries.filter(isChainEntry) as ChainEntry[];
  const session = {
    id: record.id,
    context: record.context,
    meter: { usedTokens: 1_234, basis: "reported" },
    file: { state: { title: record.title, entries: record.entries, branch } },
    original: async (segmentId: string) => ({
      text: `original of ${segmentId}`,
      digest: "0".repeat(64),
      message: user(segmentId.split("#")[0] ?? "", ""),
    }),
  };
  return session as unknown as DocumentSession;
}

function rounds(count: number): SessionRecord {
  const record = new SessionRecord().message(user("m0", "Make it fast"));
  for (let round = 1; round <= count; round += 1) {
    record
      .message(assistant(`a${round}`, call(`c${round}`, "read", { path: `f${round}.ts` })))
      .message(result(`t${round}`, `c${round}`, "read", `${"const x = 1;\n".repeat(1_000)}end ${round}`));
  }
  return record.message(user("last", "Next"));
}

async function shown(record: SessionRecord, address: DocumentAddress) {
  return new SessionDocuments().show(sessionOf(record), address, noModel);
}

const headings = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => /^(?:#\d+ |capsule )/.test(line))
    .map((line) => line.split(" · ")[0] ?? "");

describe("SessionDocuments", () => {
  it("puts what is sent beside the same page of the transcript, every message once over all pages", async () => {
    const record = rounds(400);
    record.evict("r1", [["t1#c1", "x"]]).compact("r2", summary(), "a300");
    const documents = new SessionDocuments();
    const session = sessionOf(record);
    const first = await documents.show(session, { kind: "abridged", page: 1 }, noModel);
    assert.ok(first.pageCount > 1);
    const left: string[] = [];
    const right: string[] = [];
    for (let page = 1; page <= first.pageCount; page += 1) {
      const whole = await documents.show(session, { kind: "abridged", page }, noModel);
      const beside = await documents.show(session, { kind: "beside", page }, noModel);
      for (const { text } of [whole, beside]) assert.ok(Buffer.byteLength(text) <= PAGE_LIMIT_BYTES);
      const own = headings(whole.text);
      for (const name of headings(beside.text)) assert.ok(name === "capsule" || own.includes(name), name);
      left.push(...own);
      right.push(...headings(beside.text));
    }
    assert.equal(left.length, 802);
    assert.deepEqual(right.slice(0, 3), ["#1 user", "capsule", "#600 assistant"]);
    assert.equal(right.length, 2 + 203);
    assert.deepEqual(right, [...new Set(right)]);
  });

  it("shows the context before and after a run as they were, whatever came after it", async () => {
    const record = rounds(3);
    record
      .evict("r1", [["t1#c1", "x"]])
      .compact("r2", summary(), "last")
      .undo("r2")
      .message(user("more", "More"));
    const before = await shown(record, { kind: "before", runId: "r2", page: 1 });
    const after = await shown(record, { kind: "after", runId: "r2", page: 1 });
    assert.deepEqual(headings(before.text), [
      "#1 user",
      ...["#2 assistant", "#3 tool", "#4 assistant", "#5 tool", "#6 assistant", "#7 tool"],
      "#8 user",
    ]);
    assert.deepEqual(headings(after.text), ["#1 user", "capsule", "#8 user"]);
    assert.ok(before.text.includes("[evicted t1#c1"), "what was evicted before the run stays so");
    const unknown = await shown(record, { kind: "before", runId: "r9", page: 1 });
    assert.equal(unknown.text, "This run is not on the session's branch.");
  });

  it("shows an original as it is, and says above it where it comes from and that it was checked", async () => {
    const { text, caption } = await shown(rounds(1), { kind: "original", segmentId: "t1#c1", page: 1 });
    assert.equal(text, "original of t1#c1");
    assert.equal(caption, `Original of #3 · 17 bytes · SHA-256 ${"0".repeat(64)} checked`);
  });

  it("shows the whole of a part that a page cuts short, in pages that add up to it", async () => {
    const output = `${"y".repeat(999)}\n`.repeat(1_000);
    const record = new SessionRecord().message(user("m1", output));
    const documents = new SessionDocuments();
    let text = "";
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const one = await documents.show(
        sessionOf(record),
        { kind: "part", messageId: "m1", part: 0, page },
        noModel,
      );
      assert.ok(Buffer.byteLength(one.text) <= PAGE_LIMIT_BYTES);
      pages = one.pageCount;
      text += one.text;
    }
    assert.equal(text, output);
  });

  it("answers every call of what is sent, as the request does", async () => {
    const record = new SessionRecord()
      .message(user("m1", "go"))
      .message(assistant("m2", call("c1", "read", {})))
      .message(user("m3", "stop"));
    const { text } = await shown(record, { kind: "sent", page: 1 });
    assert.match(
      text,
      /\ntool · m2#c1!open · only in the request\n {2}result read · c1 · \d+ bytes · error\n/,
    );
    assert.match(text, /\n4 messages, 1,234 tokens \(reported\)$/);
  });

  it("changes the signature of what is sent with the context and with its number, and of nothing else", async () => {
    const record = rounds(2);
    const documents = new SessionDocuments();
    const sent = { kind: "sent", page: 1 } as const;
    const before = await documents.show(sessionOf(record), sent, noModel);
    assert.equal(await documents.signature(sessionOf(record), sent, noModel), before.signature);
    record.evict("r1", [["t1#c1", "x"]]);
    assert.notEqual(await documents.signature(sessionOf(record), sent, noModel), before.signature);
    const recounted = {
      ...sessionOf(record),
      meter: { usedTokens: 99, basis: "counted" },
    } as unknown as DocumentSession;
    const evicted = await documents.signature(sessionOf(record), sent, noModel);
    assert.notEqual(await documents.signature(recounted, sent, noModel), evicted);
  });

  it("names the page of a diff where a run first changed something", async () => {
    const record = rounds(400).evict("r1", [["t390#c390", "x"]]);
    const documents = new SessionDocuments();
    const page = await documents.firstChangedPage(sessionOf(record), "r1");
    const after = await documents.show(
      sessionOf(record),
      { kind: "after", runId: "r1", page: page ?? 0 },
      noModel,
    );
    assert.ok((page ?? 0) > 1 && after.text.includes("[evicted t390#c390"));
    assert.equal(await documents.firstChangedPage(sessionOf(record), "r9"), undefined);
  });
});
