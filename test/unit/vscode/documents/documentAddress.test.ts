import assert from "node:assert/strict";
import fc from "fast-check";
import type { DocumentAddress } from "../../../../src/vscode/documents/documentAddress.ts";
import { atPage, documentPath, parseDocumentPath } from "../../../../src/vscode/documents/documentAddress.ts";

const id = fc.string({ unit: "binary", minLength: 1, maxLength: 20 }).filter((text) => text.isWellFormed());
const page = fc.integer({ min: 1, max: 999_999 });
const address: fc.Arbitrary<DocumentAddress> = fc.oneof(
  fc.record(
    { kind: fc.constantFrom("transcript", "sent", "abridged", "beside"), page },
    { noNullPrototype: true },
  ),
  fc.record({ kind: fc.constantFrom("before", "after"), runId: id, page }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant("original"), segmentId: id, page }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant("part"), messageId: id, part: fc.nat(99), page }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant("generation"), messageId: id }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant("receipt"), runId: id }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant("preview") }, { noNullPrototype: true }),
);

describe("documentAddress", () => {
  it("reads back what it wrote, whatever the ids and the label are", () => {
    fc.assert(
      fc.property(id, address, fc.string({ unit: "binary" }), (sessionId, given, label) => {
        const path = documentPath(sessionId, given, label);
        assert.deepEqual(parseDocumentPath(path), { sessionId, address: given });
        assert.equal(path.split("/").pop()?.includes("\n"), false);
      }),
    );
  });

  for (const path of [
    "",
    "/",
    "/context-capsule-documents/s",
    "/context-capsule-documents/s/record/transcript/0/Transcript",
    "/context-capsule-documents/s/record/transcript/1e3/Transcript",
    "/context-capsule-documents/s/record/unknown/1/x",
    "/context-capsule-documents/%E0%A4%A/record/transcript/1/x",
    "/other/s/record/transcript/1/x",
  ]) {
    it(`knows no document at ${JSON.stringify(path)}`, () =>
      assert.equal(parseDocumentPath(path), undefined));
  }

  it("keeps the extension that chooses the language, whatever the title is", () => {
    const title = `parser.ts${"x".repeat(200)}`;
    assert.match(documentPath("s", { kind: "original", segmentId: "m", page: 1 }, title), /…\.txt$/);
    assert.match(
      documentPath("s", { kind: "generation", messageId: "m" }, "Capsule 1 · parser.ts"),
      /\.ts\.md$/,
    );
    assert.match(documentPath("s", { kind: "transcript", page: 1 }, "a/b\\c"), /\/a∕b∕c$/);
  });

  it("turns pages where there are some", () => {
    assert.deepEqual(atPage({ kind: "transcript", page: 1 }, 4), { kind: "transcript", page: 4 });
    assert.equal(atPage({ kind: "preview" }, 2), undefined);
  });
});
