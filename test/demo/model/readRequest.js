/**
 * Reads a request for a summary as a model would: from its text alone. Headings of the history start with `##`, every line
 * that somebody said with `| `; the manifest and the previous capsule are JSON lines of the instruction after it.
 */

const SCHEMA_NAME = "cave.context-summary";
const MANIFEST = /^(\{"id":.*,"required":(true|false)\}|There are no user sources\.)$/m;
const HEADING = /^## (message|tool call|tool result|image) (\{.*\})$/;

/**
 * @typedef {{ id: string, role: string, text: string }} Said a message, or one tool result (role "tool")
 * @typedef {{ tool: string, input: string }} Call
 * @typedef {{ key: string, kind: string, text: string, critical: boolean, source_segment_id: string }} PriorAnchor
 * @typedef {{ objective: string, constraints_restated: string[], decisions: { decision: string, why: string }[],
 *   artifacts: { path: string, change: string }[], facts: string[],
 *   state: { completed: string[], active: string[], blocked: string[] }, next: string[], anchors: PriorAnchor[] }} Prior
 * @typedef {{ said: Said[], calls: Call[], userSources: { id: string, required: boolean }[], previous: Prior | undefined,
 *   maxTokens: number }} SummaryRequest
 */

/** Whether the newest message asks for a summary; a capsule that merely stands in a chat does not. @param {string} text */
function isSummaryRequest(text) {
  return text.includes(SCHEMA_NAME) && MANIFEST.test(text);
}

/**
 * @param {string} text
 * @returns {SummaryRequest}
 */
function readRequest(text) {
  /** @type {SummaryRequest} */
  const request = { said: [], calls: [], userSources: [], previous: undefined, maxTokens: 4096 };
  /** @type {((line: string) => void) | undefined} */
  let take;
  for (const line of text.split("\n")) {
    const heading = HEADING.exec(line);
    if (heading !== null) take = startOf(String(heading[1]), JSON.parse(String(heading[2])), request);
    else if (line.startsWith("| ")) take?.(line.slice(2));
    else readInstructionLine(line, request);
  }
  for (const said of request.said) said.text = said.text.trim();
  return request;
}

/**
 * @param {string} kind
 * @param {{ id: string, role: string, tool: string }} heading
 * @param {SummaryRequest} request
 */
function startOf(kind, heading, request) {
  if (kind === "tool call") {
    const call = { tool: heading.tool, input: "" };
    request.calls.push(call);
    return (/** @type {string} */ line) => {
      call.input += line;
    };
  }
  if (kind === "image") return undefined;
  const said = { id: heading.id, role: kind === "message" ? heading.role : "tool", text: "" };
  request.said.push(said);
  return (/** @type {string} */ line) => {
    said.text += `${line}\n`;
  };
}

/**
 * @param {string} line
 * @param {SummaryRequest} request
 */
function readInstructionLine(line, request) {
  const tokens = /at most (\d+) tokens/.exec(line)?.[1];
  if (tokens !== undefined) request.maxTokens = Number(tokens);
  if (!line.startsWith("{") || !line.endsWith("}")) return;
  const value = parsed(line);
  if (value === undefined) return;
  if (typeof value.id === "string" && typeof value.required === "boolean") request.userSources.push(value);
  else if (Array.isArray(value.anchors) && typeof value.objective === "string") request.previous = value;
}

/** @param {string} line */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

module.exports = { isSummaryRequest, readRequest };
