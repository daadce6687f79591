import assert from "node:assert/strict";
import fc from "fast-check";
import {
  LineSplitter,
  READ_CHUNK_BYTES,
  readLines,
  readLinesBackwards,
} from "../../../src/sessions/logLines.ts";
import type { ReadHandle } from "../../../src/sessions/sessionFiles.ts";

function inMemory(content: Buffer): ReadHandle {
  return {
    bytes: () => Promise.resolve(content.length),
    read: (into, position) => Promise.resolve(content.copy(into, 0, position)),
    close: () => Promise.resolve(),
  };
}

async function forwards(content: Buffer, from = 0) {
  const read: string[] = [];
  const { end, rest } = await readLines(inMemory(content), from, (line) => read.push(line.toString()));
  return { lines: read, end, rest: rest.toString() };
}

async function backwards(content: Buffer, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const read: string[] = [];
  await readLinesBackwards(inMemory(content), (line) => {
    read.push(line.toString());
    return read.length < most;
  });
  return read;
}

/** Lines around the length of a chunk, where pieces have to be joined. */
const line = fc.oneof(
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll("\n", "")),
  fc.integer({ min: -2, max: 2 }).map((more) => "c".repeat(READ_CHUNK_BYTES + more)),
  fc.integer({ min: 1, max: 3 }).map((count) => "d".repeat(count * 100_000)),
);

describe("lines of a log", () => {
  it("are those between line ends, read forwards and backwards", async function () {
    this.timeout(20_000);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.boolean(), async (given, isOpen) => {
        const content = Buffer.from(
          given
            .map((text) => `${text}\n`)
            .join("")
            .slice(0, isOpen ? -1 : undefined),
        );
        const split = content.toString().split("\n");
        const rest = split.pop() ?? "";
        assert.deepEqual(await forwards(content), { lines: split, end: content.length, rest });
        const reversed = content.length === 0 ? [] : [...split, rest].reverse();
        assert.deepEqual(
          (await backwards(content)).filter((text) => text !== ""),
          reversed.filter((text) => text !== ""),
        );
      }),
      { numRuns: 50 },
    );
  });

  it("are the same however the chunks are cut", () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        (given, sizes) => {
          const content = Buffer.from(given.map((text) => text.slice(-300)).join("\n"));
          const read: string[] = [];
          const splitter = new LineSplitter((bytes) => read.push(bytes.toString()));
          for (let at = 0, turn = 0; at < content.length; turn += 1) {
            const size = sizes[turn % sizes.length] ?? 1;
            splitter.push(content.subarray(at, at + size));
            at += size;
          }
          assert.deepEqual([...read, splitter.rest().toString()], content.toString().split("\n"));
        },
      ),
    );
  });

  it("go on from a position, and backwards stop when enough is read", async () => {
    const content = Buffer.from("one\ntwo\nthree\n");
    assert.deepEqual(await forwards(content, 4), { lines: ["two", "three"], end: 14, rest: "" });
    assert.deepEqual(await backwards(content, 3), ["", "three", "two"]);
  });

  it("keep no hole of empty bytes in memory", async () => {
    const hole = Buffer.alloc(4 * READ_CHUNK_BYTES);
    const { lines, rest } = await forwards(
      Buffer.concat([Buffer.from("one\n"), hole, Buffer.from("two\n"), hole]),
    );
    assert.equal(lines[0], "one");
    assert.ok((lines[1]?.length ?? 0) < 2 * READ_CHUNK_BYTES);
    assert.ok(lines[1]?.endsWith("\0two"));
    assert.ok(rest.length <= READ_CHUNK_BYTES);
  });

  it("end with the signal", async () => {
    const controller = new AbortController();
    const content = Buffer.from("x\n".repeat(READ_CHUNK_BYTES));
    let count = 0;
    const reading = readLines(
      inMemory(content),
      0,
      () => {
        count += 1;
        if (count === 1) controller.abort();
      },
      controller.signal,
    );
    await assert.rejects(reading, { name: "AbortError" });
    assert.ok(count < READ_CHUNK_BYTES);
  });
});
