import type { Anchor, ContextSummary, ContextSummarySource } from "../../core/capsule/contextSummary.ts";
import { headOf } from "../../core/capsule/coverage.ts";
import type { CapsuleDraft, DraftAnchor } from "../../core/capsule/draft.ts";
import { renderDraft } from "../../core/capsule/draft.ts";
import { isBareCommand } from "../../core/capsule/root.ts";
import type { Message } from "../../core/messages.ts";
import { isUserSource, textOf } from "../../core/messages.ts";
import { utf8Length } from "../../core/utf8.ts";
import type { Rule } from "./ruleSentences.ts";
import { restatesValue, ruleIn, sameSubject, saysChange } from "./ruleSentences.ts";
import { sentencesOf } from "./sentences.ts";
import { changedFiles, pathsIn, resultFacts, traceCalls } from "./toolTrace.ts";

export interface OfflineDraftInput {
  /** The messages that leave, oldest first. */
  readonly messages: readonly Message[];
  readonly previous: ContextSummary | undefined;
  readonly sources: readonly ContextSummarySource[];
  /** The messages that follow and stay word for word. */
  readonly tail?: readonly Message[];
  /** What the draft may take, in tokens of four bytes. */
  readonly maxOutputTokens: number;
}

/** A person reviews commitments; a summarizer without judgement adds few at a time and never fills the list. */
const MOST_NEW_RULES = 24;
const MOST_COMMITMENTS = 72;
const MOST_LINES = 20;
const MOST_HINTS = 30;
const MOST_ARTIFACTS = 128;
const SHOWN_CHARACTERS = 300;
const BYTES_PER_TOKEN = 4;

/**
 * A draft without a model: exact sentences of the user that state rules and choices, what tools changed and
 * reported, and where the work stands. Same input, same output. Nothing of a tool, an assistant or an attachment
 * is ever critical.
 */
export function offlineDraft(input: OfflineDraftInput): CapsuleDraft {
  const { messages, previous, sources } = input;
  const traced = traceCalls(messages);
  const rules = rulesOf(input);
  // Where the user has spoken since, the tail itself says what the work is; an older request would come back.
  const isSuperseded = input.tail?.some(isUserSource) ?? false;
  const wanted: CapsuleDraft = {
    objective: objectiveOf(previous, sources),
    constraintsRestated: [...(previous?.constraintsRestated ?? [])].slice(-MOST_LINES),
    decisions: merged(standingDecisions(previous, rules), decisionsOf(rules)).slice(-MOST_LINES),
    artifacts: changedFiles(traced).slice(-MOST_ARTIFACTS),
    facts: [...new Set([...(previous?.facts ?? []), ...resultFacts(traced)])].slice(-MOST_LINES),
    state: {
      completed: [...(previous?.state.completed ?? [])].slice(-MOST_LINES),
      active: isSuperseded ? [] : lastRequest(sources),
      blocked: [...(previous?.state.blocked ?? [])].slice(-MOST_LINES),
    },
    next: isSuperseded ? [] : plannedNext(messages, sources),
    citations: [],
    lookupHints: hintsOf(
      input,
      traced.flatMap(({ call }) => pathsIn(call.input)),
    ),
    anchors: rules.map(({ anchor }) => anchor),
  };
  return withinTokens(wanted, input.maxOutputTokens);
}

function objectiveOf(previous: ContextSummary | undefined, sources: readonly ContextSummarySource[]): string {
  if (previous !== undefined) return previous.objective;
  const first = sources.find(
    ({ role, text }) => role === "user" && text.trim() !== "" && !isBareCommand(text),
  );
  return first === undefined ? "Continue the conversation." : shown(first.text);
}

function shown(text: string): string {
  return headOf(text.trim(), SHOWN_CHARACTERS);
}

interface FoundRule {
  readonly rule: Rule;
  readonly anchor: DraftAnchor;
}

/** Rules that the leaving user sources state, in order; one that a later sentence takes back is no rule. */
function rulesOf({ previous, sources }: OfflineDraftInput): FoundRule[] {
  const commitments = (previous?.anchors ?? []).filter(({ critical }) => critical);
  const known = new Set(commitments.map(({ text }) => text));
  const found: FoundRule[] = [];
  for (const source of sources) {
    if (source.role !== "user" || source.stays === true) continue;
    for (const sentence of sentencesOf(source.text)) {
      if (known.has(sentence)) continue;
      const replaced = replacedBy(sentence, [...commitments, ...found.map(({ anchor }) => anchor)]);
      const rule = ruleIn(sentence) ?? (replaced === undefined ? undefined : ruleLike(replaced));
      if (rule === undefined) continue;
      known.add(sentence);
      found.push({
        rule,
        anchor: {
          kind: replaced?.kind ?? rule.kind,
          text: sentence,
          critical: true,
          sourceSegmentId: source.segmentId,
          supersedes: replaced === undefined ? [] : takeOver(replaced, found),
        },
      });
    }
  }
  const room = Math.max(0, Math.min(MOST_NEW_RULES, MOST_COMMITMENTS - commitments.length));
  const chosen = new Set(
    [...found]
      .sort((a, b) => importance(b) - importance(a))
      .filter(({ anchor }, index) => index < room || anchor.supersedes.length > 0),
  );
  return found.filter((one) => chosen.has(one));
}

/** The one earlier rule that a sentence changes; where two are as likely, none, so that both stay. */
function replacedBy<T extends { readonly text: string }>(
  sentence: string,
  earlier: readonly T[],
): T | undefined {
  const restated = earlier.findLast(({ text }) => restatesValue(sentence, text));
  if (restated !== undefined || !saysChange(sentence)) return restated;
  const shares = earlier.map(({ text }) => sameSubject(sentence, text));
  const best = Math.max(0, ...shares);
  const isSure = best > 0 && shares.filter((share) => share === best).length === 1;
  return isSure ? earlier[shares.indexOf(best)] : undefined;
}

const ruleLike = ({ kind }: { readonly kind: Rule["kind"] }): Rule => ({ kind, weight: 1 });

/** Keys of the prior commitments that a successor takes the place of; a rule of this part is one no more. */
function takeOver(replaced: Anchor | DraftAnchor, found: FoundRule[]): readonly string[] {
  if ("key" in replaced) return [replaced.key];
  const at = found.findIndex(({ anchor }) => anchor === replaced);
  found.splice(at, 1);
  return replaced.supersedes;
}

function importance({ rule, anchor }: FoundRule): number {
  return rule.weight + (anchor.supersedes.length > 0 ? 2 : 0);
}

function decisionsOf(rules: readonly FoundRule[]): CapsuleDraft["decisions"] {
  return rules
    .filter(({ anchor }) => anchor.kind === "decision")
    .map(({ anchor }) => ({ decision: anchor.text, why: "" }));
}

/** Decisions of the previous capsule, without those whose commitment a change takes the place of. */
function standingDecisions(
  previous: ContextSummary | undefined,
  rules: readonly FoundRule[],
): CapsuleDraft["decisions"] {
  const replaced = new Set(rules.flatMap(({ anchor }) => anchor.supersedes));
  const gone = (previous?.anchors ?? []).filter(({ key }) => replaced.has(key)).map(({ text }) => text);
  return (previous?.decisions ?? []).filter(({ decision }) => !gone.includes(decision));
}

function merged(
  earlier: CapsuleDraft["decisions"],
  later: CapsuleDraft["decisions"],
): CapsuleDraft["decisions"] {
  const texts = new Set(earlier.map(({ decision }) => decision));
  return [...earlier, ...later.filter(({ decision }) => !texts.has(decision))];
}

/** The newest request, where it leaves or is only held; one that stands in the tail speaks for itself. */
function lastRequest(sources: readonly ContextSummarySource[]): string[] {
  const last = sources.findLast(({ role, text }) => role === "user" && text.trim() !== "");
  return last === undefined || last.stays === true ? [] : [shown(last.text)];
}

const PLAN_LINE =
  /^(?:(?:next|then|now|remaining|todo)\b|i(?:['’]ll| will| am going to)\b|let me\b|- \[ \])/i;

const LEAST_PLAN_CHARACTERS = 20;

/** What the assistant said it would do, unless the user spoke after it. */
function plannedNext(messages: readonly Message[], sources: readonly ContextSummarySource[]): string[] {
  const last = messages.findLast((message) => message.role === "assistant" && textOf(message).trim() !== "");
  if (last === undefined) return [];
  const lastUser = sources.findLast(({ role }) => role === "user");
  const at = (id: string | undefined) => sources.findIndex(({ segmentId }) => segmentId === id);
  if (at(lastUser?.segmentId) > at(last.id)) return [];
  return sentencesOf(textOf(last))
    .filter((sentence) => PLAN_LINE.test(sentence) && sentence.length >= LEAST_PLAN_CHARACTERS)
    .map(shown)
    .slice(0, MOST_LINES);
}

const PATH = /(?<![\w/:.])\/?(?:[\w@~.-]+\/)+[\w@.-]*\w/g;
/** Not every slash makes a path: `n/a`, `read/write`. */
const LOOKS_LIKE_PATH = /^[~/.]|\.\w+$|\/.*\//;
const CODE_WORD = /`(?=[^`]*\p{L})([^`\s]{2,80})`/gu;

/** Paths and names that the work was about, newest last. */
function hintsOf({ previous, sources }: OfflineDraftInput, toolPaths: readonly string[]): string[] {
  const hints = new Set([...(previous?.lookupHints ?? []), ...toolPaths]);
  for (const { role, text } of sources) {
    if (role !== "user") continue;
    for (const [path] of text.matchAll(PATH)) if (LOOKS_LIKE_PATH.test(path)) hints.add(path);
    for (const match of text.matchAll(CODE_WORD)) hints.add((match[1] ?? "").trim());
  }
  return [...hints].filter((hint) => hint !== "" && hint.length <= SHOWN_CHARACTERS).slice(-MOST_HINTS);
}

/** What fits, the most important first; of each list the newest entries stay. */
function withinTokens(wanted: CapsuleDraft, maxTokens: number): CapsuleDraft {
  const bare = { ...wanted, ...EMPTY_LISTS, state: NO_STATE };
  let left = maxTokens * BYTES_PER_TOKEN - utf8Length(renderDraft(bare));
  const newest = <T>(items: readonly T[]): T[] => {
    let from = items.length;
    while (from > 0) {
      const bytes = utf8Length(JSON.stringify(items[from - 1])) + WRAPPING_BYTES;
      if (bytes > left) break;
      left -= bytes;
      from--;
    }
    return items.slice(from);
  };
  // A change comes before what is merely new: left out, the old rule would go on to stand.
  const isChange = ({ supersedes }: DraftAnchor): boolean => supersedes.length > 0;
  const changes = newest(wanted.anchors.filter(isChange));
  const rules = newest(wanted.anchors.filter((anchor) => !isChange(anchor)));
  const anchors = wanted.anchors.filter((anchor) => changes.includes(anchor) || rules.includes(anchor));
  const active = newest(wanted.state.active);
  const next = newest(wanted.next);
  const completed = newest(wanted.state.completed);
  const blocked = newest(wanted.state.blocked);
  const artifacts = newest(wanted.artifacts);
  const decisions = newest(wanted.decisions);
  const facts = newest(wanted.facts);
  const constraintsRestated = newest(wanted.constraintsRestated);
  const lookupHints = newest(wanted.lookupHints);
  const state = { completed, active, blocked };
  return { ...bare, anchors, state, next, artifacts, decisions, facts, constraintsRestated, lookupHints };
}

/** Wire keys are longer than ours; commas and quotes come on top. */
const WRAPPING_BYTES = 16;
const NO_STATE = { completed: [], active: [], blocked: [] };
const EMPTY_LISTS = {
  constraintsRestated: [],
  decisions: [],
  artifacts: [],
  facts: [],
  next: [],
  citations: [],
  lookupHints: [],
  anchors: [],
};
