import assert from "node:assert/strict";
import fc from "fast-check";
import {
  excerpt,
  field,
  indentedLines,
  LINE_UNITS,
  oneLine,
  shownBytesAtMost,
  visible,
} from "../../../../src/vscode/documents/visibleText.ts";

const INDENT = "    ";

/** Texts with many signs that hide, reorder or end lines. */
const hostileText = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "\0",
      "\u001b[31m",
      "\r",
      "\r\n",
      "\n",
      "\t",
      "\u2028",
      "\u2029",
      "\u202e",
      "\u2066",
      "\ufeff",
    ),
    fc.constantFrom(
      "\u0085",
      "\u007f",
      "\u061c",
      "\ud800",
      "\udc00",
      "😀",
      "€",
      "a",
      " ",
      "[x](command:evil)",
    ),
  ),
  maxLength: 300,
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

describe("visibleText", () => {
  const vectors: readonly [string, string][] = [
    ["a\0b", "a␀b"],
    ["\u001b[31mred", "␛[31mred"],
    ["one\r\ntwo", "one\ntwo"],
    ["50%\r100%", "50%␍100%"],
    ["a\u2028b", "a<U+2028>b"],
    ["abc\u202edef", "abc<U+202E>def"],
    ["tab\tstays", "tab\tstays"],
    ["\ud800", "\ufffd"],
    ["😀", "😀"],
  ];
  for (const [text, shown] of vectors) {
    it(`shows ${JSON.stringify(text)} as ${JSON.stringify(shown)}`, () => assert.equal(visible(text), shown));
  }

  it("leaves nothing unseen, in whatever text", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const lines = indentedLines(text, INDENT);
        assert.ok(lines.every((line) => !UNSEEN.test(line) && !line.includes("\n") && line.isWellFormed()));
        assert.ok(lines.every((line) => line === "" || line.startsWith(INDENT)));
      }),
    );
  });

  it("goes on in the next line where one is too long, and divides no character", () => {
    const text = `${"a".repeat(LINE_UNITS - 1)}😀${"b".repeat(LINE_UNITS)}`;
    const lines = indentedLines(text, INDENT);
    assert.equal(lines.length, 3);
    assert.ok(lines.every((line) => line.length <= LINE_UNITS + INDENT.length + 2 && line.isWellFormed()));
    assert.equal(lines.map((line) => line.slice(INDENT.length).replace(/^↪ /, "")).join(""), text);
  });

  it("bounds the bytes of what it shows", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 1, max: 60 }), (text, times) => {
        const long = text.repeat(times);
        const bytes = Buffer.byteLength(`${indentedLines(long, INDENT).join("\n")}\n`);
        assert.ok(bytes <= shownBytesAtMost(long, INDENT.length), `${bytes} bytes`);
      }),
    );
    const oneLongLine = "\u202e".repeat(100_000);
    const bytes = Buffer.byteLength(`${indentedLines(oneLongLine, INDENT).join("\n")}\n`);
    assert.ok(bytes <= shownBytesAtMost(oneLongLine, INDENT.length));
  });

  it("cuts a text to its beginning and end within the limit, and loses count of nothing", () => {
    fc.assert(
      fc.property(
        hostileText,
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: 200, max: 20_000 }),
        (part, times, limit) => {
          const text = part.repeat(times);
          const { head, tail, omitted } = excerpt(text, limit, INDENT.length);
          assert.equal(head.length + omitted + tail.length, text.length);
          assert.ok(text.startsWith(head) && text.endsWith(tail));
          const shown = [...indentedLines(head, INDENT), ...indentedLines(tail, INDENT)].join("\n");
          assert.ok(Buffer.byteLength(shown) <= limit + INDENT.length + 1);
        },
      ),
    );
    assert.deepEqual(excerpt("short", 100, 4), { head: "short", tail: "", omitted: 0 });
  });

  it("makes one line of anything, and says where it cut", () => {
    assert.equal(oneLine("  a\n\n b\tc ", 20), "a b c");
    assert.equal(oneLine("abcdefgh", 5), "abcd…");
    assert.equal(oneLine("abcd😀efgh", 6), "abcd…");
    assert.equal(oneLine("", 5), "");
  });

  it("lets no id imitate the fields after it", () => {
    assert.equal(field("m1 · pinned"), "m1 • pinned");
    assert.equal(field("a\nb"), "a b");
    assert.equal(field(""), "–");
    assert.ok(field("x".repeat(500)).length <= 120);
  });
});
