import assert from "node:assert/strict";
import fc from "fast-check";
import { imageSize, imageTokens } from "../../../src/core/imageTokens.ts";

/** A text as bytes, one for each character. */
const ascii = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));
const bigEndian = (value: number, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** (bytes - 1 - i)) % 256);
const littleEndian = (value: number, bytes: number): number[] => bigEndian(value, bytes).reverse();

function png(width: number, height: number): number[] {
  return [
    0x89,
    ...ascii("PNG\r\n\u001a\n"),
    0,
    0,
    0,
    13,
    ...ascii("IHDR"),
    ...bigEndian(width, 4),
    ...bigEndian(height, 4),
  ];
}

function gif(width: number, height: number): number[] {
  return [...ascii("GIF89a"), ...littleEndian(width, 2), ...littleEndian(height, 2)];
}

/** With a comment, an EXIF block, a table whose marker looks like a frame's, and a fill byte before the frame. */
function jpeg(width: number, height: number, frameMarker = 0xc0): number[] {
  const segment = (marker: number, body: number[]): number[] => [
    0xff,
    marker,
    ...bigEndian(body.length + 2, 2),
    ...body,
  ];
  return [
    0xff,
    0xd8,
    ...segment(0xe1, [...ascii("Exif"), ...new Array(6000).fill(0xff)]),
    ...segment(0xfe, ascii("a comment")),
    ...segment(0xc4, [1, 2, 3, 4, 5, 6]),
    0xff,
    ...segment(frameMarker, [8, ...bigEndian(height, 2), ...bigEndian(width, 2), 3]),
  ];
}

function webp(flavour: string, body: number[]): number[] {
  return [...ascii("RIFF"), 0, 0, 0, 0, ...ascii(`WEBPVP8${flavour}`), 0, 0, 0, 0, ...body];
}

const lossy = (width: number, height: number): number[] =>
  webp(" ", [0, 0, 0, 0x9d, 0x01, 0x2a, ...littleEndian(width, 2), ...littleEndian(height, 2)]);
const lossless = (width: number, height: number): number[] =>
  webp("L", [0x2f, ...littleEndian(width - 1 + (height - 1) * 0x4000, 4)]);
const extended = (width: number, height: number): number[] =>
  webp("X", [0, 0, 0, 0, ...littleEndian(width - 1, 3), ...littleEndian(height - 1, 3)]);

const base64 = (bytes: number[]): string => Buffer.from(bytes).toString("base64");
const tokensOf = (data: string): number => imageTokens({ type: "image", mediaType: "image/png", data });

describe("imageTokens", () => {
  const formats = { png, gif, jpeg, lossy, lossless, extended };
  for (const [name, make] of Object.entries(formats)) {
    it(`reads width and height of a header: ${name}`, () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 16383 }),
          fc.integer({ min: 1, max: 16383 }),
          (width, height) => {
            assert.deepEqual(imageSize(base64(make(width, height))), { width, height });
          },
        ),
        { numRuns: 30 },
      );
    });
  }

  it("reads a progressive JPEG", () => {
    assert.deepEqual(imageSize(base64(jpeg(640, 480, 0xc2))), { width: 640, height: 480 });
  });

  it("reads base64url as well", () => {
    const data = Buffer.from(jpeg(1023, 767)).toString("base64url");
    assert.match(data, /[-_]/);
    assert.deepEqual(imageSize(data), { width: 1023, height: 767 });
  });

  const vectors: [width: number, height: number, tokens: number][] = [
    [1, 1, 85],
    [250, 255, 85], // exactly 85
    [250, 256, 86], // 85.3
    [1000, 750, 1000],
    [1001, 750, 1001],
    [1568, 1568, 3279], // 3278.2: the long side as it is
    [1569, 1569, 3279],
    [3136, 1568, 1640], // scaled to 1568 x 784: 1639.1
    [1568, 3136, 1640],
    [16000, 16, 85],
  ];
  for (const [width, height, tokens] of vectors) {
    it(`${width} x ${height} pixels are ${tokens} tokens`, () => {
      assert.equal(tokensOf(base64(png(width, height))), tokens);
    });
  }

  const unreadable: [string, string][] = [
    ["nothing", ""],
    ["no image", Buffer.from("just some text that is long enough").toString("base64")],
    ["no base64", "<<<<>>>>????".repeat(8)],
    ["a PNG cut before its size", base64(png(1000, 800).slice(0, 18))],
    ["a PNG of no width", base64(png(0, 800))],
    ["a JPEG that ends before its frame", base64(jpeg(10, 10).slice(0, 100))],
    ["a JPEG whose image data come first", base64([0xff, 0xd8, 0xff, 0xda, 0, 8, ...jpeg(10, 10)])],
    [
      "a JPEG of segments without end",
      base64([0xff, 0xd8, ...new Array(4000).fill([0xff, 0xe0, 0, 2]).flat(), ...jpeg(9, 9).slice(2)]),
    ],
    ["a WebP of another kind", base64(webp("Z", new Array(20).fill(1)))],
  ];
  for (const [name, data] of unreadable) {
    it(`takes 1200 tokens for ${name}`, () => {
      assert.equal(imageSize(data), undefined);
      assert.equal(tokensOf(data), 1200);
    });
  }

  it("never counts the length of the base64: a megabyte behind the header changes nothing", () => {
    const small = base64(png(1000, 800));
    assert.equal(tokensOf(small + "A".repeat(1_000_000)), tokensOf(small));
  });
});
