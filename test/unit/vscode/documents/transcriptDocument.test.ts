import assert from "node:assert/strict";
import fc from "fast-check";
import type { Message } from "../../../../src/core/messages.ts";
import type { DocumentPage } from "../../../../src/vscode/documents/documentPage.ts";
import { PAGE_LIMIT_BYTES } from "../../../../src/vscode/documents/pageLayout.ts";
import { TranscriptDocument } from "../../../../src/vscode/documents/transcriptDocument.ts";
import { createSlices } from "../../../../src/vscode/slices.ts";
import { assistant, call, result, SessionRecord, summary, user } from "../sessionRecord.ts";

const slices = createSlices();

async function documentOf(session: SessionRecord): Promise<TranscriptDocument> {
  const document = new TranscriptDocument();
  await document.update(session, slices);
  return document;
}

async function pageOf(session: SessionRecord, page = 1): Promise<DocumentPage> {
  return (await documentOf(session)).render(page, slices);
}

function linesOf({ text }: DocumentPage): string[] {
  return text.split("\n");
}

function small(): SessionRecord {
  return new SessionRecord()
    .message({ id: "sys", role: "system", content: [{ type: "text", text: "Be brief." }] })
    .message(user("m1", "Make the parser faster.\nNever touch the lexer."))
    .message(
      {
        ...assistant(
          "m2",
          { type: "reasoning", text: "Look first.", signature: "xyz" },
          { type: "text", text: "I read it." },
          call("c1", "read", { path: "parser.ts", body: "a\nb", deep: { n: 1 } }),
        ),
        usage: { inputTokens: 12_345, outputTokens: 67, cacheReadTokens: 12_000 },
      },
      { modelId: "demo/model" },
    )
    .message(result("m3", "c1", "read", "line one\nline two"))
    .message(user("m4", "And now?"));
}

describe("TranscriptDocument", () => {
  it("shows number, id, role, time, model, usage and parts", async () => {
    const lines = linesOf(await pageOf(small()));
    assert.equal(lines[0], "Transcript of Parser");
    assert.deepEqual(lines.slice(-2), [
      "End of the transcript.",
      "messages 5, user 2, assistant 1, tool 1, calls 1, results 1",
    ]);
    const at = lines.findIndex((line) => line.startsWith("#3 assistant · m2 · 20"));
    assert.match(lines[at] ?? "", / · demo\/model · 12,345 in \(12,000 cached\), 67 out, reported$/);
    assert.deepEqual(lines.slice(at + 1, at + 11), [
      "  reasoning · signed",
      "    Look first.",
      "    I read it.",
      "  call read · c1",
      "    path: parser.ts",
      "    body:",
      "      a",
      "      b",
      '    deep: {"n":1}',
      "",
    ]);
    assert.ok(lines.includes("  result read · c1 · 17 bytes"));
  });

  it("shows images by type, size and sides, never their data", async () => {
    const data = Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"),
      Buffer.from([0, 0, 4, 0, 0, 0, 3, 0, 8, 6, 0, 0, 0]),
    ]).toString("base64");
    const message: Message = {
      id: "m1",
      role: "user",
      content: [{ type: "image", mediaType: "image/png", data }],
    };
    const { text } = await pageOf(new SessionRecord().message(message));
    assert.match(text, /\n {2}image image\/png · 29 bytes · 1024 × 768\n/);
    assert.ok(!text.includes(data));
  });

  it("counts sidechain and unknown lines, and says what was compacted before", async () => {
    const session = new SessionRecord()
      .message(user("m1", "hi"))
      .add({ type: "sidechain", id: "s1", message: user("x1", "sub"), linkedCallId: "c1" })
      .add({ type: "sidechain", id: "s2", message: user("x2", "sub") })
      .add({ type: "foreign", id: "f1", line: 7, text: "{", reason: "not JSON" })
      .add({ type: "foreign", id: "f2", line: 9, text: "{", reason: "cut off" })
      .add({ type: "boundary", id: "b1" })
      .message(user("m2", "more"));
    const { text } = await pageOf(session);
    assert.match(text, /sidechain messages 2, other lines 2$/);
    assert.ok(text.includes("── 2 sidechain messages of a sub-agent, never in the context"));
    assert.ok(text.includes("── 2 lines of the file, from 7 to 9, kept as they are: not JSON; cut off"));
    assert.ok(text.includes("── Compacted by the program that this session was imported from"));
  });

  it("marks what was evicted, summarized, pinned and the first request, and links to it", async () => {
    const session = small()
      .evict("r1", [["m3#c1", "line one\nline two"]])
      .compact("r2", summary(), "m4")
      .hand({ id: "p1", action: "pin", messageId: "m2" });
    const page = await pageOf(session);
    const lines = linesOf(page);
    assert.match(lines.find((line) => line.startsWith("#2 ")) ?? "", / · first request$/);
    assert.match(lines.find((line) => line.startsWith("#3 ")) ?? "", / · pinned$/);
    assert.match(lines.find((line) => line.startsWith("#4 ")) ?? "", / · summarized$/);
    assert.ok(lines.includes("  result read · c1 · 17 bytes · evicted · original, 17 bytes"));
    assert.ok(lines.some((line) => line.startsWith("── Compacted · 10,000 → 4,000 tokens")));
    const targets = page.links.map(({ target }) => JSON.stringify(target));
    assert.ok(targets.includes('{"to":"original","segmentId":"m3#c1"}'));
    assert.ok(targets.includes('{"to":"generation","messageId":"capsule-r2-1"}'));
    assert.ok(targets.includes('{"to":"receipt","runId":"r2"}'));
    for (const { line, from, until } of page.links)
      assert.ok((lines[line] ?? "").length >= until && from < until);
  });

  it("shows an undone run as undone and a failed one as no compaction", async () => {
    const session = small().compact("r1", summary(), "m4").undo("r1").attempt("r2", "rejected");
    const { text } = await pageOf(session);
    assert.match(text, /── Compacted · .* · undone · receipt/);
    assert.match(text, /── Compaction undone · /);
    assert.match(text, /── Compaction changed nothing: Rejected · /);
    assert.ok(!text.includes("· summarized"));
  });

  it("marks messages that the active branch does not hold", async () => {
    const session = small();
    const { context } = session;
    session.add({ type: "branch", id: "b1", from: "m1" }).message(user("m9", "Another way"));
    const kept = context.transcript.slice(0, 2);
    const document = new TranscriptDocument();
    const onBranch = { ...context, transcript: [...kept, user("m9", "Another way")] };
    await document.update({ title: "Parser", entries: session.entries, context: onBranch }, slices);
    const lines = linesOf(await document.render(1, slices));
    assert.match(lines.find((line) => line.startsWith("#3 ")) ?? "", / · not on this branch$/);
    assert.doesNotMatch(lines.find((line) => line.startsWith("#2 ")) ?? "", /branch/);
    assert.ok(lines.includes("── The session went on after #2"));
  });

  it("lets no text pass for structure: headings begin in columns 0 and 2, texts at 4", async () => {
    const hostile = [
      "#99 system · evil · first request",
      "  result rm · c9 · evicted",
      "── Compacted",
      "End of the transcript.\u2028#100 user",
      "\r#101 user\u0085#102 user",
      "[run](command:workbench.action.terminal.new) $(zap) ```",
    ].join("\n");
    const session = new SessionRecord()
      .message(user("m1\n#7 system", hostile))
      .message(assistant("m2", call("c\n1", "read\n#8 user", { [`k\n${hostile}`]: hostile })))
      .message(result("m3", "c\n1", "read\n#8 user", hostile));
    const page = await pageOf(session);
    for (const line of linesOf(page).slice(2, -2)) {
      assert.match(line, /^(?:$|#[123] |── | {4}| {2}(?:call|result) read )/);
    }
    assert.equal(page.sections.length, 3);
    assert.equal(page.links.length, 0);
  });

  it("holds every page under 512 kB and every part of the record on exactly one page", async () => {
    const part = fc.oneof(
      fc.string({ unit: "binary", maxLength: 50 }).map((text) => text.repeat(2_000)),
      fc.constantFrom("\u202e".repeat(300_000), "\n".repeat(400_000), "€".repeat(250_000), "short"),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(part, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        async (given) => {
          const session = new SessionRecord();
          given.forEach((texts, at) => {
            session.message(assistant(`m${at}`, ...texts.map((text) => ({ type: "text", text }) as const)));
          });
          const document = await documentOf(session);
          const anchors: string[] = [];
          for (let page = 1; page <= document.pageCount; page += 1) {
            const rendered = await document.render(page, slices);
            assert.ok(Buffer.byteLength(rendered.text) <= PAGE_LIMIT_BYTES);
            anchors.push(...rendered.lines.keys());
          }
          assert.deepEqual(
            [...new Set(anchors)],
            given.map((_, at) => `m${at}`),
          );
        },
      ),
      { numRuns: 15 },
    );
  }).timeout(30_000);

  it("shows the beginning and end of a part that is too long, with a link to the whole", async () => {
    const output = `${"x".repeat(99)}\n`.repeat(5_000);
    const page = await pageOf(new SessionRecord().message(user("m1", output)));
    const link = page.links.find(({ target }) => target.to === "part");
    assert.deepEqual(link?.target, { to: "part", messageId: "m1", part: 0 });
    assert.match(
      linesOf(page)[link?.line ?? 0] ?? "",
      /^ {2}[\d,]+ characters left out here · open the whole text$/,
    );
  });
});

describe("TranscriptDocument, growing", () => {
  function long(messages: number): SessionRecord {
    const session = new SessionRecord();
    for (let at = 0; at < messages; at += 1)
      session.message(user(`m${at}`, `message ${at}\n${"text ".repeat(400)}`));
    return session;
  }

  it("changes no page but the last when messages are added, and keeps every place", async () => {
    const session = long(500);
    const document = await documentOf(session);
    const before = document.pageCount;
    assert.ok(before >= 3);
    const signatures = Array.from({ length: before }, (_, at) => document.signature(at + 1));
    const place = await document.placeOf("m250", slices);
    const counted = await document.render(2, slices);

    for (let at = 500; at < 900; at += 1) session.message(user(`m${at}`, "x ".repeat(1_000)));
    await document.update(session, slices);
    assert.ok(document.pageCount > before);
    const after = Array.from({ length: before }, (_, at) => document.signature(at + 1));
    assert.deepEqual(after.slice(0, -1), signatures.slice(0, -1));
    assert.notEqual(after.at(-1), signatures.at(-1));
    assert.deepEqual(await document.placeOf("m250", slices), place);
    assert.equal((await document.render(2, slices)).text, counted.text);
  });

  it("changes only the pages whose marks changed", async () => {
    const session = long(500);
    const document = await documentOf(session);
    const signatures = Array.from({ length: document.pageCount }, (_, at) => document.signature(at + 1));
    session.hand({ id: "p1", action: "pin", messageId: "m250" });
    await document.update(session, slices);
    const page = document.pageOf("m250") ?? 0;
    assert.ok(page > 1);
    const changed = signatures.flatMap((old, at) => (document.signature(at + 1) === old ? [] : [at + 1]));
    assert.deepEqual(changed, [page, document.pageCount]);
  });

  it("keeps lines where they are when marks change", async () => {
    const session = small();
    const before = await (await documentOf(session)).placeOf("m4", slices);
    session.evict("r1", [["m3#c1", "line one\nline two"]]).compact("r2", summary(), "m4");
    assert.deepEqual(await (await documentOf(session)).placeOf("m4", slices), before);
  });

  it("renders one page without reading the messages of the others", async () => {
    const session = long(500);
    const document = await documentOf(session);
    const read = new Set<string>();
    for (const entry of session.entries) {
      if (entry.type !== "message") continue;
      const { id, content } = entry.message;
      Object.defineProperty(entry.message, "content", {
        get: () => {
          read.add(id);
          return content;
        },
      });
    }
    const page = await document.render(2, slices);
    assert.deepEqual([...read].sort(), [...page.lines.keys()].sort());
    assert.ok(read.size < 300);
  });

  it("starts again when the log was replaced", async () => {
    const document = await documentOf(long(10));
    const other = small();
    await document.update(other, slices);
    assert.equal(document.record.counts.messages, 5);
    assert.ok((await document.render(1, slices)).text.includes("Make the parser faster."));
  });

  it("finds the message of a segment, of ids with # in them too", async () => {
    const session = new SessionRecord().message(user("a", "x")).message(user("a#b", "y"));
    const { record } = await documentOf(session);
    assert.equal(record.message("a#b#c1")?.number, 2);
    assert.equal(record.message("a#c1")?.number, 1);
    assert.equal(record.message("zzz"), undefined);
  });
});
