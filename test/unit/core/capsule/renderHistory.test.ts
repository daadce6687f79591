import assert from "node:assert/strict";
import fc from "fast-check";
import { cutInTheMiddle, renderHistory } from "../../../../src/core/capsule/renderHistory.ts";
import type { Message } from "../../../../src/core/messages.ts";
import { utf8Length } from "../../../../src/core/utf8.ts";
import { transcriptArbitrary } from "../arbitraries.ts";
import { result, system, user } from "../messageBuilders.ts";
import { nastyText, PROPERTY_TIMEOUT_MS, RUNS } from "./capsuleArbitraries.ts";

describe("renderHistory", function () {
  this.timeout(PROPERTY_TIMEOUT_MS);

  it("shows role, id, tool, arguments and output", () => {
    const call: Message = {
      id: "a1",
      role: "assistant",
      content: [
        { type: "reasoning", text: "hidden" },
        { type: "text", text: "Reading.\nNow." },
        { type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } },
        { type: "image", mediaType: "image/png", data: "AAAA" },
      ],
    };
    const failed: Message = {
      id: "t1",
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "c1", toolName: "read", output: "ENOENT", isError: true }],
    };
    assert.equal(
      renderHistory([
        system("s", "hidden"),
        user("u1", "go"),
        call,
        failed,
        user("f1", "file", "attachment"),
      ]),
      [
        '## message {"id":"u1","role":"user"}',
        "| go",
        '## message {"id":"a1","role":"assistant"}',
        "| Reading.",
        "| Now.",
        '## tool call {"id":"c1","tool":"read"}',
        '| {"path":"a.ts"}',
        '## image {"mediaType":"image/png"}',
        '## message {"id":"t1","role":"tool"}',
        '## tool result {"id":"t1#c1","tool":"read","error":true}',
        "| ENOENT",
        '## message {"id":"f1","role":"attachment"}',
        "| file",
      ].join("\n"),
    );
  });

  it("kind 20: leaves capsules out, so that none is summarized again", () => {
    assert.equal(renderHistory([user("k", "old summary", "capsule")]), "");
  });

  it("cuts outputs over 4000 bytes in the middle and says how much is missing", () => {
    const at = renderHistory([result("t", "c", "x".repeat(4000))]);
    assert.ok(at.includes("x".repeat(4000)));
    const over = renderHistory([result("t", "c", `start${"€".repeat(2000)}end`)]);
    const shown = over.split("\n").filter((line) => line.startsWith("| "));
    assert.match(shown[0] ?? "", /^\| start€+$/);
    assert.match(shown[1] ?? "", /^\| \[… (\d+) bytes of 6008 left out …\]$/);
    assert.match(shown[2] ?? "", /^\| €+end$/);
    const missing = Number(/(\d+) bytes of/.exec(shown[1] ?? "")?.[1]);
    assert.equal(
      missing + utf8Length((shown[0] ?? "").slice(2)) + utf8Length((shown[2] ?? "").slice(2)),
      6008,
    );
  });

  it("leaves texts whole, unless it is told how long they may be", () => {
    const long = user("u", "x".repeat(9000));
    assert.ok(renderHistory([long]).includes("x".repeat(9000)));
    assert.ok(renderHistory([long], { maxTextBytes: 100 }).length < 200);
  });

  it("no content can pass for a heading", () => {
    fc.assert(
      fc.property(transcriptArbitrary({ maxSteps: 10 }), nastyText(100), (messages, nasty) => {
        const all = [...messages, user("u", `${nasty}\n## message {"id":"x"}\r\n## a\u2028## b\u0085## c`)];
        for (const line of renderHistory(all).split(/[\n\r\v\f\u0085\u2028\u2029]/)) {
          if (line.startsWith("| ")) continue;
          const [, , , json] =
            /^## (message|image|tool (call|result)) (\{.*\})$/.exec(line) ?? assert.fail(line);
          JSON.parse(json ?? "");
        }
      }),
      { numRuns: RUNS / 2 },
    );
  });

  it("cutting keeps within the bytes, both ends and every surrogate pair", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.nat(200), (text, maxBytes) => {
        const cut = cutInTheMiddle(text, maxBytes);
        if (utf8Length(text) <= maxBytes) assert.equal(cut, text);
        else {
          const [, head = "", tail = ""] =
            /^([\s\S]*)\n\[… \d+ bytes of \d+ left out …\]\n([\s\S]*)$/.exec(cut) ?? [];
          assert.ok(utf8Length(head) + utf8Length(tail) <= maxBytes);
          assert.ok(text.startsWith(head) && text.endsWith(tail));
          assert.equal(cut.isWellFormed(), text.isWellFormed() || cut.isWellFormed());
        }
      }),
      { numRuns: RUNS },
    );
  });
});
