import { sha256Hex } from "../digest.ts";

/** An id as it may stand in a receipt: no white space, not long. Names of models may hold spaces. */
export const RECEIPT_ID = /^[^\s\p{Cc}]{1,200}$/u;
export const RECEIPT_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._:/@+()-]{0,199}$/u;
/** A code, and the key, id or digest that it is about. */
export const RECEIPT_FAILURE = /^[a-z_]{1,64}(?::[a-z]+(?:\.\d+){1,2}|:sha256-[0-9a-f]{64})*$/;
const KEY_OF_CODE = /^[a-z]+(?:\.\d+){1,2}$/;

/** The id, or its digest where it is none: an imported record may have put anything in its place. */
export function receiptId(id: string): string {
  return RECEIPT_ID.test(id) ? id : digested(id);
}

export function receiptName(name: string): string {
  return RECEIPT_NAME.test(name) ? name : digested(name);
}

/**
 * A failure code with what it is about. Keys that code made stay readable; the rest may be the words of a model or of
 * a message, and its digest stands in its place.
 */
export function receiptFailure(failure: string): string {
  const [code = "", ...rest] = failure.split(":");
  if (!/^[a-z_]{1,64}$/.test(code)) return `other:${digested(failure)}`;
  if (rest.length === 0) return code;
  if (rest.every((part) => KEY_OF_CODE.test(part))) return failure;
  return `${code}:${digested(rest.join(":"))}`;
}

/** A key that code made, or its digest. */
export function receiptKey(key: string): string {
  return KEY_OF_CODE.test(key) ? key : digested(key);
}

function digested(text: string): string {
  return `sha256-${sha256Hex(text)}`;
}
