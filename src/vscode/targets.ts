/** The id of the session that a command's first argument names (`SessionTarget`); undefined = the active one. */
export function sessionIdOf(target: unknown): string | undefined {
  if (typeof target === "string") return target === "" ? undefined : target;
  if (typeof target !== "object" || target === null || !("sessionId" in target)) return undefined;
  return typeof target.sessionId === "string" ? target.sessionId : undefined;
}
