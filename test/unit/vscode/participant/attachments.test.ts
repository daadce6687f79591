import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type * as vscode from "vscode";
import type { Part } from "../../../../src/core/messages.ts";
import { attach, MAX_IMAGE_BYTES, MAX_TEXT_BYTES } from "../../../../src/vscode/participant/attachments.ts";
import type { ReferenceFiles } from "../../../../src/vscode/participant/referenceFiles.ts";

/** A picture of one pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

function uri(path: string, scheme = "file"): vscode.Uri {
  return { scheme, path, toString: () => `${scheme}://${path}` } as vscode.Uri;
}

function range(line: number, character: number, endLine: number, endCharacter: number): vscode.Range {
  return {
    start: { line, character },
    end: { line: endLine, character: endCharacter },
  } as vscode.Range;
}

function reference(value: unknown, id = "file", modelDescription?: string): vscode.ChatPromptReference {
  return { id, value, ...(modelDescription === undefined ? {} : { modelDescription }) };
}

const disk: Readonly<Record<string, string | Uint8Array | readonly string[]>> = {
  "/a.ts": "one\r\ntwo\r\nthree",
  "/src": ["x.ts", "lib/"],
  "/many": Array.from({ length: 201 }, (_, at) => `f${at}`),
  "/a.bin": new Uint8Array([65, 0, 66]),
  "/utf16.txt": new Uint8Array([0xff, 0xfe, 65, 0]),
  "/dot.png": PNG,
  "/broken.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]),
  "/huge.log": "x".repeat(MAX_TEXT_BYTES + 1),
  "/huge.png": new Uint8Array(MAX_IMAGE_BYTES + 1),
};

const reads: string[] = [];
const files: ReferenceFiles = {
  async stat({ path }) {
    const found = disk[path];
    if (found === undefined) throw new Error("no such file");
    return { isFolder: Array.isArray(found), bytes: found.length };
  },
  async read({ path }) {
    reads.push(path);
    const found = disk[path];
    if (found === undefined) throw new Error("no such file");
    return typeof found === "string" ? new TextEncoder().encode(found) : (found as Uint8Array);
  },
  openText: ({ path }) => (path === "/open.ts" ? "not saved yet" : undefined),
  decode: async (_uri, bytes) => new TextDecoder(bytes[0] === 0xff ? "utf-16le" : "utf-8").decode(bytes),
  list: async ({ path }) => disk[path] as readonly string[],
  nameOf: ({ path }) => path.slice(1),
};

async function attached(...references: vscode.ChatPromptReference[]) {
  const { attachments, notes, used } = await attach(references, files);
  return { parts: attachments.map(({ content }) => content), notes, used };
}

const text = (value: string): readonly Part[] => [{ type: "text", text: value }];

describe("attached references", () => {
  it("are a file's text under its name, an editor's unsaved text before the disk's", async () => {
    const { parts, notes, used } = await attached(reference(uri("/a.ts")), reference(uri("/open.ts")));
    assert.deepEqual(parts, [
      text("Attached file: a.ts\n\none\r\ntwo\r\nthree"),
      text("Attached file: open.ts\n\nnot saved yet"),
    ]);
    assert.deepEqual(notes, []);
    assert.equal(used.length, 2);
  });

  it("are a selection's own text with its lines", async () => {
    const lines = reference({ uri: uri("/a.ts"), range: range(0, 1, 1, 2) });
    const inLine = reference({ uri: uri("/a.ts"), range: range(2, 1, 2, 3) });
    const toNextLine = reference({ uri: uri("/a.ts"), range: range(0, 0, 1, 0) });
    assert.deepEqual((await attached(lines, inLine, toNextLine)).parts, [
      text("Attached selection: a.ts, lines 1–2\n\nne\ntw"),
      text("Attached selection: a.ts, lines 3–3\n\nhr"),
      text("Attached selection: a.ts, lines 1–2\n\none\n"),
    ]);
  });

  it("are texts, and folders by the names in them", async () => {
    const { parts } = await attached(
      reference("some words", "paste", "a paste"),
      reference(uri("/src")),
      reference(uri("/many")),
    );
    assert.deepEqual(parts[0], text("Attached text: a paste\n\nsome words"));
    assert.deepEqual(parts[1], text("Attached folder (names only): src\n\nx.ts\nlib/"));
    const [many] = parts[2] ?? [];
    assert.match(many?.type === "text" ? many.text : "", /f199\n… and 1 more$/);
  });

  it("are images of files and pasted ones, told by their bytes", async () => {
    const pasted = reference(
      { mimeType: "image/bmp", data: async () => new Uint8Array(PNG) },
      "paste",
      "a picture",
    );
    const image: Part = { type: "image", mediaType: "image/png", data: PNG.toString("base64") };
    assert.deepEqual((await attached(reference(uri("/dot.png")), pasted)).parts, [
      [...text("Attached image: dot.png"), image],
      [...text("Attached image: a picture"), image],
    ]);
  });

  it("leave out what is no text or no picture, too big or gone, with a note that says so", async () => {
    const broken = reference(
      { mimeType: "image/png", data: () => Promise.reject(new Error("no clipboard")) },
      "paste",
    );
    const { parts, notes, used } = await attached(
      reference(uri("/a.bin")),
      reference({ uri: uri("/a.bin"), range: range(0, 0, 1, 0) }),
      reference(uri("/broken.png")),
      reference(uri("/huge.log")),
      reference(uri("/huge.png")),
      reference(uri("/gone.ts")),
      broken,
      reference(42, "number"),
    );
    assert.deepEqual([parts, used], [[], []]);
    assert.match(notes[0] ?? "", /“a\.bin” was not attached: it is no text/);
    assert.match(notes[1] ?? "", /no text/);
    assert.match(notes[2] ?? "", /“broken\.png” was not attached: it is no PNG/);
    assert.match(notes[3] ?? "", /“huge\.log” was not attached: it has 250 kB.*Attach a selection/);
    assert.match(notes[4] ?? "", /“huge\.png” was not attached: it has 5 MB.*Make it smaller/);
    assert.match(notes[5] ?? "", /could not be read: no such file/);
    assert.match(notes[6] ?? "", /could not be read: no clipboard/);
    assert.match(notes[7] ?? "", /“number” was not attached/);
    assert.ok(
      !reads.includes("/huge.log") && !reads.includes("/huge.png"),
      "a file over the limit is not read",
    );
  });

  it("reads UTF-16 as text", async () => {
    assert.match(JSON.stringify((await attached(reference(uri("/utf16.txt")))).parts), /A/);
  });

  it("leave out our own documents, silently where the editor added them unasked", async () => {
    const own = { uri: uri("/x", "context-capsule"), range: range(0, 0, 1, 0) };
    assert.deepEqual(await attached(reference(own, "vscode.implicit.selection")), {
      parts: [],
      notes: [],
      used: [],
    });
    assert.match(
      (await attached(reference(uri("/x", "context-capsule")))).notes[0] ?? "",
      /this record itself/,
    );
  });

  it("leave out what the editor adds beside the same selection or file attached by the person", async () => {
    const selected = { uri: uri("/a.ts"), range: range(0, 0, 0, 3) };
    const { parts } = await attached(
      reference({ ...selected }, "vscode.implicit.selection"),
      reference(selected),
      reference(uri("/a.ts")),
      reference(uri("/a.ts"), "vscode.implicit.file"),
    );
    assert.equal(parts.length, 2);
  });
});
