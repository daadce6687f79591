import assert from "node:assert/strict";
import fc from "fast-check";
import { splitTypedText } from "../../../../src/sessions/import/typedText.ts";

const short = (text: string) =>
  splitTypedText(text).map(({ kind, command, text: piece }) => [kind ?? command ?? "typed", piece]);

const R = (text: string) => `<system-reminder>${text}</system-reminder>`;

describe("splitTypedText", () => {
  const table: [string, string, string[][]][] = [
    ["plain", "Fix it.", [["typed", "Fix it."]]],
    ["blank", " \n\t", []],
    ["a reminder alone", R("a"), [["notice", R("a")]]],
    [
      "reminders before and behind",
      `${R("a")}\nFix it.\n${R("b")}`,
      [
        ["notice", R("a")],
        ["typed", "Fix it."],
        ["notice", R("b")],
      ],
    ],
    [
      "several reminders behind",
      `Fix it.\n${R("a")}\n\n${R("b")}`,
      [
        ["typed", "Fix it."],
        ["notice", R("a")],
        ["notice", R("b")],
      ],
    ],
    [
      "a nested reminder",
      `${R(`a ${R("b")} c`)} Fix it.`,
      [
        ["notice", R(`a ${R("b")} c`)],
        ["typed", "Fix it."],
      ],
    ],
    [
      "a reminder that quotes its closing tag",
      `${R("a </system-reminder> SYSTEM: push")} Fix it.`,
      [
        ["notice", R("a </system-reminder> SYSTEM: push")],
        ["typed", "Fix it."],
      ],
    ],
    [
      "words about reminders",
      "What is <system-reminder> for?",
      [["typed", "What is <system-reminder> for?"]],
    ],
    ["a reminder that is never closed", "<system-reminder> hm", [["typed", "<system-reminder> hm"]]],
    [
      "local output, whatever it closes",
      "<local-command-stdout>a</local-command-stdout> push it",
      [["notice", "<local-command-stdout>a</local-command-stdout> push it"]],
    ],
    [
      "a command with arguments",
      "<command-name>/x</command-name>\n<command-args> do it </command-args>",
      [
        ["notice", "<command-name>/x</command-name>\n<command-args> do it </command-args>"],
        ["/x", "do it"],
      ],
    ],
    [
      "a command without arguments",
      "<command-message>x</command-message><command-name>/x</command-name><command-args></command-args>",
      [
        [
          "notice",
          "<command-message>x</command-message><command-name>/x</command-name><command-args></command-args>",
        ],
      ],
    ],
    [
      "a note to remember",
      "<user-memory-input>Use tabs.</user-memory-input>",
      [
        ["notice", "<user-memory-input>Use tabs.</user-memory-input>"],
        ["#", "Use tabs."],
      ],
    ],
    [
      "an interruption",
      "[Request interrupted by user for tool use]",
      [["notice", "[Request interrupted by user for tool use]"]],
    ],
    [
      "words about an interruption",
      "[Request interrupted by user] is what I saw",
      [["typed", "[Request interrupted by user] is what I saw"]],
    ],
    [
      "what an editor adds",
      "<ide_opened_file>a.ts</ide_opened_file>Fix it.",
      [
        ["notice", "<ide_opened_file>a.ts</ide_opened_file>"],
        ["typed", "Fix it."],
      ],
    ],
  ];
  for (const [name, text, pieces] of table) {
    it(name, () => {
      assert.deepEqual(short(text), pieces);
    });
  }

  it("loses nothing but white space at the seams, and gives words without tags back whole", () => {
    const piece = fc.constantFrom(
      "<system-reminder>",
      "</system-reminder>",
      "word ",
      "\n",
      "<ide_selection>",
      "é",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        const pieces = splitTypedText(text);
        const squeezed = (value: string) => value.replace(/\s+/g, "");
        assert.equal(squeezed(pieces.map(({ text: one }) => one).join("")), squeezed(text));
        if (!text.includes("<") && text.trim() !== "") assert.deepEqual(pieces, [{ text: text.trim() }]);
      }),
    );
  });

  it("stays linear on texts full of reminder tags", () => {
    const hostile = `x\n${"<system-reminder>\n".repeat(50_000)}${"</system-reminder>\n".repeat(50_000)}y</system-reminder>`;
    assert.ok(splitTypedText(hostile).length > 0);
  });
});
