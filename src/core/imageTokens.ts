import type { ImagePart } from "./messages.ts";

/** What an image costs when its header cannot be read. */
export const UNREADABLE_IMAGE_TOKENS = 1200;
/** No image costs less. */
export const MIN_IMAGE_TOKENS = 85;
const LONG_SIDE_PIXELS = 1568;
const PIXELS_PER_TOKEN = 750;
/** A JPEG with more segments than this before its frame header counts as unreadable. */
const MAX_JPEG_SEGMENTS = 1000;

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Tokens of an image by its pixels (contract section 2); the length of its base64 never counts. */
export function imageTokens(image: ImagePart): number {
  const size = imageSize(image.data);
  if (size === undefined) return UNREADABLE_IMAGE_TOKENS;
  const long = Math.max(size.width, size.height);
  const short = Math.min(size.width, size.height);
  const pixels = long > LONG_SIDE_PIXELS ? (short * LONG_SIDE_PIXELS ** 2) / long : long * short;
  return Math.max(MIN_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN));
}

/**
 * Pixels of a PNG, JPEG, GIF or WebP, read from the header alone: only the bytes looked at are decoded. The
 * bytes decide, not the declared media type. Undefined for anything else, a broken header or a side of 0.
 */
export function imageSize(base64: string): ImageSize | undefined {
  const at = (offset: number): number => byteAt(base64, offset);
  const size = pngSize(at) ?? jpegSize(at) ?? gifSize(at) ?? webpSize(at);
  // A byte that is missing or no base64 is NaN, and so is every number made of it.
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

type Bytes = (offset: number) => number;

function pngSize(at: Bytes): ImageSize | undefined {
  if (at(0) !== 0x89 || !spells(at, 1, "PNG\r\n") || !spells(at, 12, "IHDR")) return undefined;
  return { width: bigEndian(at, 16, 4), height: bigEndian(at, 20, 4) };
}

function gifSize(at: Bytes): ImageSize | undefined {
  if (!spells(at, 0, "GIF8")) return undefined;
  return { width: littleEndian(at, 6, 2), height: littleEndian(at, 8, 2) };
}

function webpSize(at: Bytes): ImageSize | undefined {
  if (!spells(at, 0, "RIFF") || !spells(at, 8, "WEBPVP8")) return undefined;
  const flavour = at(15);
  if (flavour === 0x58 /* X: extended */) {
    return { width: 1 + littleEndian(at, 24, 3), height: 1 + littleEndian(at, 27, 3) };
  }
  if (flavour === 0x4c /* L: lossless */ && at(20) === 0x2f) {
    const packed = littleEndian(at, 21, 4);
    return { width: 1 + (packed % 0x4000), height: 1 + (Math.floor(packed / 0x4000) % 0x4000) };
  }
  if (flavour === 0x20 /* blank: lossy */ && at(23) === 0x9d && at(24) === 0x01 && at(25) === 0x2a) {
    return { width: littleEndian(at, 26, 2) % 0x4000, height: littleEndian(at, 28, 2) % 0x4000 };
  }
  return undefined;
}

function jpegSize(at: Bytes): ImageSize | undefined {
  if (at(0) !== 0xff || at(1) !== 0xd8) return undefined;
  let offset = 2;
  for (let segments = 0; segments < MAX_JPEG_SEGMENTS; segments++) {
    if (at(offset) !== 0xff) return undefined;
    const marker = at(offset + 1);
    if (marker === 0xff) {
      offset += 1; // fill byte
    } else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) {
      offset += 2; // a marker without a length
    } else if (isFrameHeader(marker)) {
      return { width: bigEndian(at, offset + 7, 2), height: bigEndian(at, offset + 5, 2) };
    } else {
      const length = bigEndian(at, offset + 2, 2);
      const imageDataOrEnd = marker === 0xda || marker === 0xd9;
      if (imageDataOrEnd || !(length >= 2)) return undefined;
      offset += 2 + length;
    }
  }
  return undefined;
}

/** SOF0 … SOF15, without the tables (DHT, JPG, DAC) in their midst. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function spells(at: Bytes, offset: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (at(offset + i) !== word.charCodeAt(i)) return false;
  return true;
}

function bigEndian(at: Bytes, offset: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 256 + at(offset + i);
  return value;
}

function littleEndian(at: Bytes, offset: number, count: number): number {
  let value = 0;
  for (let i = count - 1; i >= 0; i--) value = value * 256 + at(offset + i);
  return value;
}

/** One byte of base64 text, NaN where there is none. */
function byteAt(base64: string, offset: number): number {
  const first = Math.floor(offset / 3) * 4 + (offset % 3);
  const high = sextet(base64.charCodeAt(first));
  const low = sextet(base64.charCodeAt(first + 1));
  if (high < 0 || low < 0) return Number.NaN;
  const shift = 2 * (offset % 3);
  return ((high << (2 + shift)) | (low >> (4 - shift))) & 0xff;
}

/** Six bits of one base64 or base64url character, -1 for any other. */
function sextet(code: number): number {
  if (code >= 65 && code <= 90) return code - 65;
  if (code >= 97 && code <= 122) return code - 71;
  if (code >= 48 && code <= 57) return code + 4;
  if (code === 43 || code === 45) return 62;
  if (code === 47 || code === 95) return 63;
  return -1;
}
