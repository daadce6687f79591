import { sha256Hex } from "../digest.ts";
import type { PlacedAnchor } from "./anchorRoom.ts";
import { fitAnchors, MOST_CRITICAL_ANCHORS } from "./anchorRoom.ts";
import type { Anchor, AnchorKind, ContextSummary, ContextSummarySource } from "./contextSummary.ts";
import { headOf } from "./coverage.ts";
import { deepFreeze } from "./deepFreeze.ts";
import { emptyDraft } from "./draft.ts";
import { QuoteFinder } from "./quote.ts";
import { usedKeys, validateContextSummaryTransition } from "./transition.ts";
import { LIMITS } from "./wireSchema.ts";

/** What a person does to a commitment. Pins change the pin set and no capsule; a restored one is an `add`. */
export type HandAction =
  | { readonly type: "retire"; readonly key: string }
  | { readonly type: "reword"; readonly key: string; readonly text: string }
  | { readonly type: "add"; readonly text: string; readonly kind?: AnchorKind };

export type HandResult =
  | {
      readonly ok: true;
      /** The previous capsule with the person's change, one generation on. */
      readonly summary: ContextSummary;
      /** The anchor that quotes the person's statement. */
      readonly anchor: Anchor;
      readonly carriedOut: readonly Anchor[];
    }
  | {
      readonly ok: false;
      readonly code: "unknown_commitment" | "blank" | "too_many_commitments" | "rejected";
      /** With `rejected`: codes of section 5. */
      readonly failures: readonly string[];
    };

/** What the person says with it, as a sentence; undefined where the key names no commitment or the text is blank. */
export function commitmentStatement(
  previous: ContextSummary | undefined,
  action: HandAction,
): string | undefined {
  if (action.type === "add") return spoken(action.text);
  const old = commitmentOf(previous, action.key);
  if (old === undefined) return undefined;
  if (action.type === "retire") return `Retire the commitment: "${old.text}"`;
  const text = spoken(action.text);
  return text === undefined ? undefined : `Replace the commitment "${old.text}" by: ${text}`;
}

/** The statement as a user source of its own, by the id of its entry in the log. */
export function commitmentSource(entryId: string, statement: string): ContextSummarySource {
  const digest = sha256Hex(statement);
  return { segmentId: entryId, digest, role: "user", required: false, text: statement };
}

/**
 * The person's hand (contract section 5): the next capsule with a new critical anchor that quotes the statement,
 * of the old one's kind and superseding it. Judged by the same rules as a summarizer's. Never throws.
 */
export function applyCommitment(
  previous: ContextSummary | undefined,
  action: HandAction,
  source: ContextSummarySource,
): HandResult {
  const old = action.type === "add" ? undefined : commitmentOf(previous, action.key);
  if (action.type !== "add" && old === undefined) return refused("unknown_commitment");
  const words = action.type === "retire" ? source.text : action.text;
  const text = headOf(new QuoteFinder(source.text).find(words) ?? words.trim(), LIMITS.textCharacters);
  if (text === "") return refused("blank");
  const generation = (previous?.generation ?? 0) + 1;
  const anchor: Anchor = {
    key: freshKey(generation, usedKeys(previous)),
    kind: old?.kind ?? (action.type === "add" ? action.kind : undefined) ?? "constraint",
    text,
    critical: true,
    sourceSegmentId: source.segmentId,
    sourceDigest: source.digest,
    supersedes: old === undefined ? [] : [old.key],
  };
  const prior = (previous?.anchors ?? []).filter(({ key }) => key !== old?.key);
  const commitments = [...prior.filter(({ critical }) => critical), anchor];
  if (commitments.length > MOST_CRITICAL_ANCHORS) return refused("too_many_commitments");
  const { kept, carriedOut } = fitAnchors(
    [...commitments, ...prior.filter(({ critical }) => !critical)].map(placed),
    Number.POSITIVE_INFINITY,
  );
  const summary: ContextSummary = deepFreeze({
    ...(previous ?? withoutAnchors(text)),
    generation,
    anchors: kept.map((one) => one.anchor),
  });
  const verdict = validateContextSummaryTransition(summary, previous, [source]);
  if (!verdict.ok) return { ok: false, code: "rejected", failures: verdict.failures };
  return { ok: true, summary, anchor, carriedOut };
}

function commitmentOf(previous: ContextSummary | undefined, key: string): Anchor | undefined {
  return previous?.anchors.find((anchor) => anchor.critical && anchor.key === key);
}

function spoken(text: string): string | undefined {
  const trimmed = text.trim();
  return trimmed === "" ? undefined : trimmed;
}

function refused(code: "unknown_commitment" | "blank" | "too_many_commitments"): HandResult {
  return { ok: false, code, failures: [] };
}

/** Keys such as `hand.3.1`. */
function freshKey(generation: number, used: ReadonlySet<string>): string {
  let number = 1;
  while (used.has(`hand.${generation}.${number}`)) number++;
  return `hand.${generation}.${number}`;
}

function placed(anchor: Anchor): PlacedAnchor {
  return { anchor, origin: "prior" };
}

/** What a first capsule says beside the person's one commitment: nothing but that. */
function withoutAnchors(objective: string): ContextSummary {
  return { schemaVersion: 2, generation: 1, ...emptyDraft(objective), citations: [], anchors: [] };
}
