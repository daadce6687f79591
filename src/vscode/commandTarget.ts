/** A text field of a command's argument, which may come from a menu, a link or another extension. */
export function targetField(target: unknown, name: string): string | undefined {
  if (typeof target !== "object" || target === null) return undefined;
  const value = (target as Record<string, unknown>)[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function targetNumber(target: unknown, name: string): number | undefined {
  if (typeof target !== "object" || target === null) return undefined;
  const value = (target as Record<string, unknown>)[name];
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}
