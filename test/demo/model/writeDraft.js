/** A draft that a careful model could have written, made from the request's own words by fixed rules. */

/**
 * @typedef {import("./readRequest.js").SummaryRequest} SummaryRequest
 * @typedef {Omit<import("./readRequest.js").Prior, "anchors"> & {
 *   citations: { segment_id: string, what: string }[], lookup_hints: string[],
 *   anchors: { kind: string, text: string, critical: boolean, source_segment_id: string, supersedes: string[] }[] }} Draft
 */

const RULE_WORDS = /\b(always|never|must|only|do not|don't|from now on|no more than|at most|keep)\b/i;
const CHANGE_WORDS = /\b(change of plan|instead|no longer|changed my mind|replaces|forget what I said)\b/i;
const CHANGING_TOOLS = /write|edit|create|patch|replace/i;
/** Such as `/mode`: nobody's request. */
const BARE_COMMAND = /^\/[\w:.-]+$/;
const ANCHORS_AT_MOST = 24;
const ITEMS_AT_MOST = 12;
const LINE_CHARACTERS = 160;
const REQUEST_WORDS = 3;
const QUOTE_CHARACTERS = 400;
/** Words that two sentences must share before one can be about the other. */
const SHARED_WORDS = 2;
const CHARACTERS_PER_TOKEN = 4;

/**
 * The draft in the wire shape.
 * @param {SummaryRequest} request
 * @returns {Draft}
 */
function writeDraft(request) {
  const { said, previous } = request;
  const user = said.filter(({ role }) => role === "user");
  const requests = user.map(({ text }) => firstSentence(text)).filter((text) => text !== "");
  const active = requests.at(-1);
  const draft = {
    objective: previous?.objective ?? firstRequest(request) ?? "Continue the work of this session.",
    constraints_restated: unique([...(previous?.constraints_restated ?? []), ...rulesOf(user)]),
    decisions: previous?.decisions ?? [],
    artifacts: artifactsOf(request),
    facts: unique([...(previous?.facts ?? []), ...factsOf(request)]),
    state: {
      completed: unique([...(previous?.state.completed ?? []), ...requests.slice(0, -1)]),
      active: active === undefined ? (previous?.state.active ?? []) : [active],
      blocked: previous?.state.blocked ?? [],
    },
    next: active === undefined ? (previous?.next ?? []) : [`Finish: ${active}`],
    citations: said
      .filter(({ role }) => role === "tool")
      .slice(-ITEMS_AT_MOST)
      .map(({ id, text }) => ({ segment_id: id, what: line(text) || "an empty output" })),
    lookup_hints: artifactsOf(request).map(({ path }) => path),
    anchors: anchorsOf(request),
  };
  return fitted(draft, request.maxTokens);
}

/** Undefined where the first request is none of the messages to summarize: it stays in the chat, and a later one is no objective. @param {SummaryRequest} request */
function firstRequest({ said, userSources }) {
  for (const { id } of userSources) {
    const message = said.find((one) => one.role === "user" && one.id === id);
    if (message === undefined) return undefined;
    if (!BARE_COMMAND.test(message.text.trim())) return firstSentence(message.text) || undefined;
  }
  return undefined;
}

/** @param {SummaryRequest["said"]} user */
function rulesOf(user) {
  return user.flatMap(({ text }) => sentences(text).filter((sentence) => RULE_WORDS.test(sentence)));
}

/** Every rule that the user stated, quoted; a changed mind supersedes the commitment it is about. @param {SummaryRequest} request */
function anchorsOf({ said, previous }) {
  const anchors = [];
  for (const { id, role, text } of said) {
    if (role !== "user") continue;
    for (const sentence of sentences(text)) {
      if (!RULE_WORDS.test(sentence) && !CHANGE_WORDS.test(sentence)) continue;
      const prior = CHANGE_WORDS.test(sentence) ? priorAbout(sentence, previous?.anchors ?? []) : undefined;
      anchors.push({
        kind: prior?.kind ?? "constraint",
        text: sentence.slice(0, QUOTE_CHARACTERS),
        critical: true,
        source_segment_id: id,
        supersedes: prior === undefined ? [] : [prior.key],
      });
    }
  }
  return anchors.slice(-ANCHORS_AT_MOST);
}

/**
 * @param {string} sentence
 * @param {readonly import("./readRequest.js").PriorAnchor[]} anchors
 */
function priorAbout(sentence, anchors) {
  const words = significantWords(sentence);
  return anchors.find(
    (anchor) =>
      anchor.critical &&
      significantWords(anchor.text).filter((word) => words.includes(word)).length >= SHARED_WORDS,
  );
}

/** @param {string} text */
function significantWords(text) {
  return unique(text.toLowerCase().match(/[a-z][a-z0-9_./-]{4,}/g) ?? []);
}

/** @param {SummaryRequest} request */
function artifactsOf({ calls, previous }) {
  const artifacts = new Map((previous?.artifacts ?? []).map((artifact) => [artifact.path, artifact]));
  for (const { tool, input } of calls) {
    if (!CHANGING_TOOLS.test(tool)) continue;
    const path = /"(?:path|file_path|file)":\s*"([^"]+)"/.exec(input)?.[1];
    if (path !== undefined) artifacts.set(path, { path, change: `changed by ${tool}` });
  }
  return [...artifacts.values()].slice(-ITEMS_AT_MOST);
}

/** @param {SummaryRequest} request */
function factsOf({ said, calls }) {
  const results = said.filter(({ role }) => role === "tool").length;
  return [`${calls.length} tool calls and ${results} results were in the summarized part.`];
}

/**
 * Leaves out from the ends of the lists until the draft is short enough.
 * @param {Draft} draft
 * @param {number} maxTokens
 */
function fitted(draft, maxTokens) {
  /** @type {unknown[][]} */
  const lists = [
    draft.citations,
    draft.lookup_hints,
    draft.state.completed,
    draft.facts,
    draft.constraints_restated,
  ];
  for (const list of lists) list.splice(0, Math.max(0, list.length - ITEMS_AT_MOST));
  while (JSON.stringify(draft).length > maxTokens * CHARACTERS_PER_TOKEN) {
    const longest = [...lists, draft.anchors].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length === 0) break;
    longest.shift();
  }
  return draft;
}

/** @param {string} text */
function sentences(text) {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

/** The first that says something: "Good." alone is no request. @param {string} text */
function firstSentence(text) {
  const all = sentences(text);
  const first = all.find((sentence) => sentence.split(/\s+/).length >= REQUEST_WORDS) ?? all[0] ?? "";
  return first.slice(0, LINE_CHARACTERS);
}

/** @param {string} text */
function line(text) {
  return (text.split("\n")[0] ?? "").slice(0, LINE_CHARACTERS);
}

/** @param {readonly string[]} texts */
function unique(texts) {
  return [...new Set(texts)];
}

module.exports = { writeDraft };
