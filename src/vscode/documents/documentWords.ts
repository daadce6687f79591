import { env, l10n } from "vscode";

let format: Intl.NumberFormat | undefined;

/** All digits, grouped; a page may hold thousands of numbers, so the format is made once. */
export function grouped(value: number): string {
  format ??= new Intl.NumberFormat(env.language);
  return format.format(value);
}

export function exactBytes(value: number): string {
  return value === 1 ? l10n.t("1 byte") : l10n.t("{0} bytes", grouped(value));
}

/** Local time, `2026-11-30 21:12:05`; `–` for no time. */
export function localTime(ms: number | undefined): string {
  const date = new Date(ms ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "–";
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
