import assert from "node:assert/strict";
import fc from "fast-check";
import { besidePage, sentDocument } from "../../../../src/vscode/documents/sentDocument.ts";
import { TranscriptRecord } from "../../../../src/vscode/documents/transcriptRecord.ts";
import { createSlices } from "../../../../src/vscode/slices.ts";
import { assistant, call, result, SessionRecord, summary, user } from "../sessionRecord.ts";

const slices = createSlices();

async function sentLines(session: SessionRecord): Promise<string[]> {
  const record = new TranscriptRecord();
  record.extend(session.entries);
  const { context } = session;
  const document = sentDocument({
    messages: context.messages,
    context,
    record,
    heading: ["Context", "facts"],
  });
  await document.grow(slices);
  return (await document.render(1, slices)).text.split("\n");
}

describe("sentDocument", () => {
  it("shows what is sent under the numbers of the record: root, citation, capsule, tail", async () => {
    const session = new SessionRecord()
      .message(user("m1", "Make it fast"))
      .message(assistant("m2", call("c1", "read", {})))
      .message(result("m3", "c1", "read", "the whole file"))
      .message(user("m4", "Next"))
      .evict("r1", [["m3#c1", "the whole file"]]);
    const evicted = await sentLines(session);
    assert.ok(evicted.some((line) => line.startsWith("    [evicted m3#c1 sha256:")));
    assert.ok(!evicted.join("\n").includes("the whole file"));
    assert.match(
      evicted.find((line) => line.startsWith("  result")) ?? "",
      /citation in place of · original, 14 bytes$/,
    );

    session.compact("r2", summary(), "m4");
    const lines = await sentLines(session);
    const headings = lines
      .filter((line) => /^(#|capsule)/.test(line))
      .map((line) => line.replace(/ · 20.{17}/, ""));
    assert.deepEqual(headings, [
      "#1 user · m1 · first request",
      "capsule · capsule-r2-1 · generation 1",
      "#4 user · m4",
    ]);
    assert.deepEqual(lines.slice(0, 2), ["Context", "facts"]);
  });

  it("says which message only the request has", async () => {
    const session = new SessionRecord().message(user("m1", "x"));
    const record = new TranscriptRecord();
    record.extend(session.entries);
    const { context } = session;
    const synthetic = result("m1#c1!open", "c1", "read", "No result");
    const document = sentDocument({
      messages: [...context.messages, synthetic],
      context,
      record,
      heading: ["C"],
    });
    await document.grow(slices);
    const { text } = await document.render(1, slices);
    assert.match(text, /\ntool · m1#c1!open · only in the request\n/);
  });
});

describe("besidePage", () => {
  it("puts each message on exactly one page, in order, and a new one with the one that follows it", async () => {
    const ids = fc.uniqueArray(fc.nat(60), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(ids, fc.integer({ min: 1, max: 7 }), async (given, perPage) => {
        const after = given.sort((a, b) => a - b).map((id) => user(`m${id}`, ""));
        const pageOf = (id: string): number | undefined => {
          const number = Number(id.slice(1));
          return number % 5 === 0 ? undefined : Math.floor(number / perPage) + 1;
        };
        const lastPage = Math.floor(60 / perPage) + 1;
        const pages: unknown[] = [];
        for (let page = 1; page <= lastPage; page += 1) {
          pages.push(...(await besidePage(after, { page, pageOf, lastPage }, slices)));
        }
        assert.deepEqual(pages, after);
      }),
    );
    const after = [user("a", ""), user("capsule", ""), user("z", "")];
    const pageOf = (id: string): number | undefined => (id === "a" ? 1 : id === "z" ? 2 : undefined);
    const second = await besidePage(after, { page: 2, pageOf, lastPage: 2 }, slices);
    assert.deepEqual(
      second.map(({ id }) => id),
      ["capsule", "z"],
    );
  });
});
