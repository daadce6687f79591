import assert from "node:assert/strict";
import fc from "fast-check";
import { textPage, textPageStarts } from "../../../../src/vscode/documents/textPages.ts";

function pagesOf(text: string, targetBytes: number): string[] {
  const starts = textPageStarts(text, targetBytes);
  return starts.map((_, index) => textPage(text, starts, index + 1));
}

describe("textPages", () => {
  it("gives the text back unit for unit, in pages within the target", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "€", "😀", "\n", "\r\n", " ", "\ud800"),
      maxLength: 400,
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 100 }), (given, target) => {
        const pages = pagesOf(given, target);
        assert.equal(pages.join(""), given);
        for (const page of pages) {
          assert.ok(Buffer.byteLength(page) <= target, `${Buffer.byteLength(page)} of ${target}`);
          if (given.isWellFormed()) assert.ok(page.isWellFormed());
        }
        assert.ok(pages.slice(1).every((page, at) => !(page.startsWith("\n") && pages[at]?.endsWith("\r"))));
      }),
    );
  });

  it("ends a page behind a line", () => {
    assert.deepEqual(pagesOf("one\ntwo\nthree", 9), ["one\ntwo\n", "three"]);
  });

  it("has one empty page for no text", () => {
    assert.deepEqual(pagesOf("", 10), [""]);
  });
});
