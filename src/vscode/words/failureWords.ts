import { l10n } from "vscode";

/** Codes of contract section 5 and of a reply, without what follows the colon. */
export type FailureCode =
  | "schema"
  | "generation"
  | "source_duplicate"
  | "anchor_source_missing"
  | "anchor_source_digest"
  | "source_required_uncovered"
  | "anchor_text_not_in_source"
  | "anchor_critical_untrusted"
  | "critical_anchor_lost"
  | "anchor_supersedes_unknown"
  | "anchor_supersedes_untrusted"
  | "anchor_superseded_present"
  | "anchor_key_reused"
  | "citation_unknown"
  | "system"
  | "shape"
  | "capsule_count"
  | "root_intent"
  | "pinned_lost"
  | "tail"
  | "not_smaller"
  | "reply_empty"
  | "reply_reasoning_only"
  | "reply_cut_off"
  | "reply_refused"
  | "reply_tool_call"
  | "reply_prose"
  | "reply_two_objects";

/** One sentence for a code such as `critical_anchor_lost:no-push`; what follows the colon is named in it. */
export function failureSentence(failure: string): string {
  const colon = failure.indexOf(":");
  const code = colon < 0 ? failure : failure.slice(0, colon);
  const subject = colon < 0 ? "" : failure.slice(colon + 1);
  const words: ((subject: string) => string) | undefined = isFailureCode(code)
    ? failureWords[code]
    : undefined;
  return words === undefined ? l10n.t("It failed the check “{0}”.", failure) : words(subject);
}

export function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(failureWords, code);
}

const failureWords: Readonly<Record<FailureCode, (subject: string) => string>> = {
  schema: () => l10n.t("The capsule does not have the required shape."),
  generation: () => l10n.t("The capsule's number does not follow the previous one."),
  source_duplicate: (id) => l10n.t("Two sources have the same id “{0}”.", id),
  anchor_source_missing: (key) => l10n.t("Commitment or quote “{0}” cites a message that is not there.", key),
  anchor_source_digest: (key) => l10n.t("Commitment or quote “{0}” cites a message whose text differs.", key),
  source_required_uncovered: (id) => l10n.t("Your message “{0}” would leave without a quote of it.", id),
  anchor_text_not_in_source: (key) => l10n.t("Quote “{0}” is not in the message that it cites.", key),
  anchor_critical_untrusted: (key) =>
    l10n.t("Commitment “{0}” rests on something that you did not say yourself.", key),
  critical_anchor_lost: (key) => l10n.t("Commitment “{0}” would be lost or changed.", key),
  anchor_supersedes_unknown: (keys) =>
    l10n.t("A commitment would be replaced that does not exist ({0}).", keys),
  anchor_supersedes_untrusted: (keys) =>
    l10n.t("A commitment would be replaced without your own words for it ({0}).", keys),
  anchor_superseded_present: (keys) => l10n.t("A replaced commitment is still in the capsule ({0}).", keys),
  anchor_key_reused: (key) => l10n.t("A new commitment takes the key “{0}” of an earlier one.", key),
  citation_unknown: (digest) =>
    l10n.t("The capsule cites a part that never left this session ({0}).", digest),
  system: () => l10n.t("The system message would be changed."),
  shape: () => l10n.t("The new context holds something that does not belong there, or lacks something."),
  capsule_count: () => l10n.t("The new context would not hold exactly one capsule."),
  root_intent: () => l10n.t("Your first request would be lost or changed."),
  pinned_lost: (id) => l10n.t("The pinned message “{0}” would be lost or changed.", id),
  tail: () => l10n.t("The recent messages would be changed or cut apart."),
  not_smaller: () => l10n.t("The new context would not be smaller."),
  reply_empty: () => l10n.t("The model's reply was empty."),
  reply_reasoning_only: () => l10n.t("The model only reasoned and wrote no reply."),
  reply_cut_off: () => l10n.t("The model's reply was cut off."),
  reply_refused: () => l10n.t("The model refused."),
  reply_tool_call: () => l10n.t("The model called a tool instead of writing a reply."),
  reply_prose: () => l10n.t("The model wrote prose instead of the capsule's JSON, or around it."),
  reply_two_objects: () => l10n.t("The model wrote more than one JSON object."),
};
