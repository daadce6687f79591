import { l10n } from "vscode";
import type { Anchor, ContextSummary } from "../../core/capsule/contextSummary.ts";
import { isFinishedRequest } from "../../core/capsule/finishedRequest.ts";
import type { ContextState } from "../../core/projection.ts";
import type { CompactionReceipt, EndState, EvictedPart } from "../../core/records.ts";
import { contextValue, itemWords } from "../contributions.ts";
import type { DocumentTarget } from "../documents/documentPage.ts";
import { exactBytes, grouped, localTime } from "../documents/documentWords.ts";
import { oneLine } from "../documents/visibleText.ts";
import { didCompact, endStateName, failureSentence, reasonSentence, shortTokens } from "../words.ts";
import type {
  AttemptItem,
  EvictionItem,
  GenerationItem,
  HistoryItem,
  RetiredItem,
} from "./capsuleHistory.ts";

/** One row of the Capsules view. Commands get the row itself: it carries what they act on. */
export interface CapsuleNode {
  /** Stable while the row means the same. */
  readonly id: string;
  readonly sessionId: string;
  readonly label: string;
  readonly description?: string;
  /** Id of a codicon, and of a theme colour. */
  readonly icon?: { readonly name: string; readonly color?: string };
  readonly contextValue: string;
  /** What a screen reader says. */
  readonly spoken: string;
  readonly tooltip: readonly TooltipLine[];
  readonly open?: DocumentTarget;
  readonly children?: () => CapsuleNode[];
  readonly expanded?: boolean;

  readonly key?: string;
  readonly text?: string;
  readonly messageId?: string;
  readonly segmentId?: string;
  readonly generation?: number;
  /** Id of the capsule's message: the generation beyond doubt, since numbers come again after an undo. */
  readonly capsuleId?: string;
  readonly runId?: string;
  /** Of a retired commitment: key and source of what superseded it. */
  readonly retiredBy?: { readonly key: string; readonly sourceSegmentId: string };
}

/** Plain text; the view escapes it. */
export type TooltipLine =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "fact"; readonly name: string; readonly value: string };

/** What the nodes look up beside the history. */
export interface CapsuleNodeInput {
  readonly sessionId: string;
  readonly history: readonly HistoryItem[];
  readonly context: Pick<ContextState, "pinnedIds" | "runs" | "statementIds">;
  /** Name of the segment's message for people, `#12`; undefined = not on the record. */
  readonly messageName: (segmentId: string) => string | undefined;
  /** The message that can be pinned for a source; undefined where it cannot. */
  readonly pinnableId: (segmentId: string) => string | undefined;
  /** Name of the tool of an evicted segment. */
  readonly toolName: (segmentId: string) => string | undefined;
  readonly now: number;
}

const LABEL_LENGTH = 200;
const SPOKEN_LENGTH = 400;

/** The rows of the first level, newest first. Everything below is made when a row is opened. */
export function capsuleNodes(input: CapsuleNodeInput): CapsuleNode[] {
  const undoableRunId = input.context.runs.at(-1)?.runId;
  let undoableShown = false;
  const nodes: CapsuleNode[] = [];
  for (const [at, item] of input.history.entries()) {
    const undoable: boolean = !undoableShown && item.runId !== undefined && item.runId === undoableRunId;
    undoableShown ||= undoable;
    if (item.kind === "generation") nodes.push(generationNode(item, input, undoable));
    else if (item.kind === "eviction") nodes.push(evictionNode(item, input, undoable));
    else nodes.push(attemptNode(item, input, at));
  }
  return nodes;
}

function generationNode(item: GenerationItem, input: CapsuleNodeInput, undoable: boolean): CapsuleNode {
  const { generation, current, undone, previous } = item;
  const receipt =
    generation.receipt === undefined || item.before === undefined
      ? generation.receipt
      : { ...generation.receipt, before: item.before };
  const number = generation.summary.generation;
  const label = undone ? l10n.t("Generation {0}, undone", number) : l10n.t("Generation {0}", number);
  const description =
    receipt === undefined
      ? [shortTime(item.at, input.now), handWord(item.hand)].join(" · ")
      : runDescription(receipt, item.at, input.now);
  const spoken =
    receipt === undefined
      ? [label, handWord(item.hand), localTime(item.at)].join(", ")
      : `${label}, ${spokenRun(receipt, item.at)}`;
  return {
    id: generation.messageId,
    sessionId: input.sessionId,
    label,
    description,
    icon: undone
      ? { name: "discard", color: "disabledForeground" }
      : { name: current ? "package" : "history", ...(current ? { color: "charts.green" } : {}) },
    contextValue: contextValue(
      itemWords.generation,
      current && itemWords.latest,
      undoable && itemWords.undoable,
      previous !== undefined && itemWords.comparable,
      item.runId !== undefined && itemWords.run,
    ),
    spoken: current ? l10n.t("{0}, in the context now", spoken) : spoken,
    tooltip: [
      { type: "text", text: current ? l10n.t("{0}, in the context now", label) : label },
      ...(receipt === undefined ? [] : receiptFacts(receipt)),
      { type: "fact", name: l10n.t("Time"), value: localTime(item.at) },
    ],
    open: { to: "generation", messageId: generation.messageId },
    children: () => generationChildren(item, input),
    expanded: current,
    generation: number,
    capsuleId: generation.messageId,
    ...(item.runId === undefined ? {} : { runId: item.runId }),
  };
}

function handWord(action: GenerationItem["hand"]): string {
  if (action === "retire") return l10n.t("commitment retired by hand");
  if (action === "reword") return l10n.t("commitment reworded by hand");
  return l10n.t("commitment added by hand");
}

function generationChildren(item: GenerationItem, input: CapsuleNodeInput): CapsuleNode[] {
  const { summary } = item.generation;
  const parent = item.generation.messageId;
  const { sessionId } = input;
  const critical = summary.anchors.filter((anchor) => anchor.critical);
  const finished = critical.filter(({ text }) => isFinishedRequest(text, summary.state.completed));
  const standing = critical.filter((anchor) => !finished.includes(anchor));
  const said = summary.anchors.filter((anchor) => !anchor.critical);
  const group = (
    name: string,
    title: string,
    icon: string,
    children: readonly CapsuleNode[],
  ): CapsuleNode[] => groupNode({ id: `${parent}/${name}`, sessionId, title, icon, children });
  const texts = (name: string, icon: string, items: readonly string[]): CapsuleNode[] =>
    items.map((text, at) => textNode({ id: `${parent}/${name}/${at}`, sessionId, text, icon }));

  const nodes: CapsuleNode[] = [
    {
      ...textNode({ id: `${parent}/objective`, sessionId, text: summary.objective, icon: "target" }),
      label: l10n.t("Objective"),
      description: oneLine(summary.objective, LABEL_LENGTH),
      spoken: l10n.t("Objective: {0}", oneLine(summary.objective, SPOKEN_LENGTH)),
    },
    ...group(
      "commitments",
      l10n.t("Commitments"),
      "law",
      standing.map((anchor) => anchorNode(anchor, item, input)),
    ),
    ...group(
      "finished",
      l10n.t("Finished commitments"),
      "pass",
      finished.map((anchor) => anchorNode(anchor, item, input)),
    ),
    ...group(
      "retired",
      l10n.t("Retired commitments"),
      "circle-slash",
      item.retired.map((retired) => retiredNode(retired, item, input)),
    ),
    ...group(
      "constraints",
      l10n.t("Constraints"),
      "shield",
      texts("constraints", "shield", summary.constraintsRestated),
    ),
    ...group(
      "decisions",
      l10n.t("Decisions"),
      "milestone",
      pairNodes(item, sessionId, "decisions", "milestone"),
    ),
    ...group("artifacts", l10n.t("Artifacts"), "files", pairNodes(item, sessionId, "artifacts", "file")),
    ...group("facts", l10n.t("Facts"), "info", texts("facts", "info", summary.facts)),
    ...group("state", l10n.t("State"), "pulse", stateNodes(summary, parent, sessionId)),
    ...group("next", l10n.t("Next"), "arrow-right", texts("next", "arrow-right", summary.next)),
    ...group(
      "said",
      l10n.t("Said earlier"),
      "quote",
      said.map((anchor) => anchorNode(anchor, item, input)),
    ),
    ...group("hints", l10n.t("Where to look"), "search", texts("hints", "search", summary.lookupHints)),
    ...group(
      "evicted",
      l10n.t("Evicted parts"),
      "archive",
      item.evicted.map((part) => evictedNode(part, parent, input)),
    ),
    ...group("citations", l10n.t("Left the context"), "references", citationNodes(summary, parent, input)),
  ];
  if (item.runId !== undefined) nodes.push(receiptNode(item.runId, parent, sessionId));
  return nodes;
}

interface GroupShape {
  readonly id: string;
  readonly sessionId: string;
  readonly title: string;
  readonly icon: string;
  readonly children: readonly CapsuleNode[];
}

/** No row for a group that has nothing. */
function groupNode({ id, sessionId, title, icon, children }: GroupShape): CapsuleNode[] {
  if (children.length === 0) return [];
  const count = children.length;
  const spoken = count === 1 ? l10n.t("{0}, 1 item", title) : l10n.t("{0}, {1} items", title, grouped(count));
  return [
    {
      id,
      sessionId,
      label: title,
      description: grouped(count),
      icon: { name: icon },
      contextValue: "",
      spoken,
      tooltip: [{ type: "text", text: spoken }],
      children: () => [...children],
    },
  ];
}

interface TextShape {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  readonly icon?: string;
  readonly description?: string;
}

function textNode({ id, sessionId, text, icon, description }: TextShape): CapsuleNode {
  const about = description === undefined || description === "" ? undefined : description;
  return {
    id,
    sessionId,
    label: oneLine(text, LABEL_LENGTH),
    ...(about === undefined ? {} : { description: oneLine(about, LABEL_LENGTH) }),
    ...(icon === undefined ? {} : { icon: { name: icon } }),
    contextValue: "",
    spoken: oneLine(about === undefined ? text : `${text}, ${about}`, SPOKEN_LENGTH),
    tooltip: [
      { type: "text", text },
      ...(about === undefined ? [] : [{ type: "text", text: about } as const]),
    ],
  };
}

function pairNodes(
  item: GenerationItem,
  sessionId: string,
  name: "decisions" | "artifacts",
  icon: string,
): CapsuleNode[] {
  const { summary, messageId } = item.generation;
  const pairs =
    name === "decisions"
      ? summary.decisions.map(({ decision, why }) => [decision, why] as const)
      : summary.artifacts.map(({ path, change }) => [path, change] as const);
  return pairs.map(([text, description], at) =>
    textNode({ id: `${messageId}/${name}/${at}`, sessionId, text, icon, description }),
  );
}

function stateNodes({ state }: ContextSummary, parent: string, sessionId: string): CapsuleNode[] {
  const groups = [
    ["completed", l10n.t("Completed"), "pass", state.completed],
    ["active", l10n.t("Active"), "play-circle", state.active],
    ["blocked", l10n.t("Blocked"), "error", state.blocked],
  ] as const;
  return groups.flatMap(([name, title, icon, items]) =>
    groupNode({
      id: `${parent}/state/${name}`,
      sessionId,
      title,
      icon,
      children: items.map((text, at) =>
        textNode({ id: `${parent}/state/${name}/${at}`, sessionId, text, icon }),
      ),
    }),
  );
}

function anchorNode(anchor: Anchor, item: GenerationItem, input: CapsuleNodeInput): CapsuleNode {
  const { key, kind, text, critical, sourceSegmentId, sourceDigest } = anchor;
  const name = input.messageName(sourceSegmentId);
  const messageId = input.pinnableId(sourceSegmentId);
  const pinned = messageId !== undefined && input.context.pinnedIds.has(messageId);
  const shown = oneLine(text, LABEL_LENGTH);
  const about = [kind, ...(name === undefined ? [] : [name]), ...(pinned ? [l10n.t("pinned")] : [])];
  const what = critical ? l10n.t("Commitment") : l10n.t("Quote");
  return {
    id: `${item.generation.messageId}/anchor/${key}`,
    sessionId: input.sessionId,
    label: shown,
    description: about.join(" · "),
    icon: { name: pinned ? "pinned" : critical ? "bookmark" : "quote" },
    contextValue: contextValue(
      critical && item.current && itemWords.commitment,
      item.current && messageId !== undefined && (pinned ? itemWords.pinned : itemWords.pinnable),
    ),
    spoken: `${what}: ${oneLine(text, SPOKEN_LENGTH)}, ${about.join(", ")}`,
    tooltip: [
      { type: "text", text },
      { type: "fact", name: l10n.t("Key"), value: key },
      { type: "fact", name: l10n.t("Kind"), value: kind },
      { type: "fact", name: l10n.t("Source"), value: sourceName(sourceSegmentId, name) },
      { type: "fact", name: l10n.t("SHA-256"), value: sourceDigest },
    ],
    open: { to: "message", messageId: sourceSegmentId },
    key,
    text,
    ...(messageId === undefined ? {} : { messageId }),
  };
}

function sourceName(segmentId: string, name: string | undefined): string {
  return name === undefined ? segmentId : `${name} (${segmentId})`;
}

function retiredNode(retired: RetiredItem, item: GenerationItem, input: CapsuleNodeInput): CapsuleNode {
  const { anchor, by, generation } = retired;
  const sentence = by === undefined ? "" : oneLine(by.text, LABEL_LENGTH);
  const why =
    by === undefined
      ? l10n.t("left in generation {0}", generation)
      : l10n.t("retired in generation {0} by “{1}”", generation, sentence);
  const source = by?.sourceSegmentId ?? anchor.sourceSegmentId;
  return {
    id: `${item.generation.messageId}/retired/${anchor.key}`,
    sessionId: input.sessionId,
    label: oneLine(anchor.text, LABEL_LENGTH),
    description: why,
    icon: { name: "circle-slash", color: "disabledForeground" },
    contextValue: contextValue(item.current && itemWords.retiredCommitment),
    spoken: l10n.t("Retired commitment: {0}, {1}", oneLine(anchor.text, SPOKEN_LENGTH), why),
    tooltip: [
      { type: "text", text: anchor.text },
      ...(by === undefined ? [] : [{ type: "fact", name: l10n.t("Retired by"), value: by.text } as const]),
      { type: "fact", name: l10n.t("Key"), value: anchor.key },
      { type: "fact", name: l10n.t("Source"), value: sourceName(source, input.messageName(source)) },
    ],
    open: { to: "message", messageId: source },
    key: anchor.key,
    text: anchor.text,
    messageId: anchor.sourceSegmentId,
    ...(by === undefined ? {} : { retiredBy: { key: by.key, sourceSegmentId: by.sourceSegmentId } }),
  };
}

function evictedNode(part: EvictedPart, parent: string, input: CapsuleNodeInput): CapsuleNode {
  const { segmentId, digest, bytes } = part;
  const name = input.messageName(segmentId);
  const tool = input.toolName(segmentId) ?? l10n.t("attachment");
  const description = [...(name === undefined ? [] : [name]), exactBytes(bytes)].join(" · ");
  return {
    id: `${parent}/evicted/${segmentId}`,
    sessionId: input.sessionId,
    label: oneLine(tool, LABEL_LENGTH),
    description,
    icon: { name: "archive" },
    contextValue: contextValue(itemWords.evictedPart),
    spoken: l10n.t("Evicted: {0}, {1}", oneLine(tool, LABEL_LENGTH), description),
    tooltip: [
      { type: "text", text: l10n.t("Opens the original; its SHA-256 is checked first.") },
      { type: "fact", name: l10n.t("Source"), value: sourceName(segmentId, name) },
      { type: "fact", name: l10n.t("Size"), value: exactBytes(bytes) },
      { type: "fact", name: l10n.t("SHA-256"), value: digest },
    ],
    open: { to: "original", segmentId },
    segmentId,
  };
}

function citationNodes(summary: ContextSummary, parent: string, input: CapsuleNodeInput): CapsuleNode[] {
  return summary.citations.map(({ segmentId, digest, what }, at) => {
    const name = input.messageName(segmentId);
    const node = textNode({
      id: `${parent}/citations/${at}`,
      sessionId: input.sessionId,
      text: what,
      icon: "references",
      description: name ?? segmentId,
    });
    return {
      ...node,
      contextValue: contextValue(itemWords.evictedPart),
      tooltip: [
        { type: "text", text: what },
        { type: "fact", name: l10n.t("Source"), value: sourceName(segmentId, name) },
        { type: "fact", name: l10n.t("SHA-256"), value: digest },
      ],
      open: { to: "original", segmentId },
      segmentId,
    };
  });
}

function receiptNode(runId: string, parent: string, sessionId: string): CapsuleNode {
  return {
    id: `${parent}/receipt`,
    sessionId,
    label: l10n.t("Receipt"),
    icon: { name: "output" },
    contextValue: contextValue(itemWords.receipt),
    spoken: l10n.t("Receipt"),
    tooltip: [{ type: "text", text: l10n.t("Opens what the run did and cost: ids, digests and numbers.") }],
    open: { to: "receipt", runId },
    runId,
  };
}

function evictionNode(item: EvictionItem, input: CapsuleNodeInput, undoable: boolean): CapsuleNode {
  const { runId, receipt, undone, summaryFailure, evicted } = item;
  const id = `run/${runId}`;
  const count = evicted.length;
  const parts = count === 1 ? l10n.t("1 part evicted") : l10n.t("{0} parts evicted", grouped(count));
  const label = undone ? l10n.t("{0}, undone", parts) : parts;
  const failure =
    summaryFailure === undefined ? undefined : l10n.t("summary: {0}", endStateName(summaryFailure.state));
  const description = [
    runDescription(receipt, item.at, input.now),
    ...(failure === undefined ? [] : [failure]),
  ];
  const { sessionId } = input;
  return {
    id,
    sessionId,
    label,
    description: description.join(" · "),
    icon: undone ? { name: "discard", color: "disabledForeground" } : { name: "archive" },
    contextValue: contextValue(undoable && itemWords.undoable, itemWords.run),
    spoken: [label, spokenRun(receipt, item.at), ...(failure === undefined ? [] : [failure])].join(", "),
    tooltip: [
      { type: "text", text: label },
      ...receiptFacts(receipt),
      { type: "fact", name: l10n.t("Time"), value: localTime(item.at) },
      ...(summaryFailure === undefined ? [] : failureFacts(summaryFailure)),
    ],
    children: () => [
      ...evicted.map((part) => evictedNode(part, id, input)),
      receiptNode(runId, id, sessionId),
    ],
    runId,
  };
}

/** A run that failed or had nothing to do: never called a compaction. */
function attemptNode(item: AttemptItem, input: CapsuleNodeInput, at: number): CapsuleNode {
  const { runId, receipt } = item;
  const id = `attempt/${runId}/${input.history.length - at}`;
  const { sessionId } = input;
  const why = reasonSentence(receipt.reason);
  return {
    id,
    sessionId,
    label: l10n.t("Not compacted: {0}", endStateName(receipt.state)),
    description: [
      ...(receipt.modelId === undefined ? [] : [oneLine(receipt.modelId, 60)]),
      shortTime(item.at, input.now),
    ].join(" · "),
    icon: attemptIcon(receipt.state),
    contextValue: "",
    spoken: l10n.t("Not compacted: {0}. {1} {2}", endStateName(receipt.state), why, localTime(item.at)),
    tooltip: [
      { type: "text", text: l10n.t("Not compacted: {0}", endStateName(receipt.state)) },
      ...failureFacts(receipt),
      ...(receipt.modelId === undefined
        ? []
        : [{ type: "fact", name: l10n.t("Model"), value: receipt.modelId } as const]),
      { type: "fact", name: l10n.t("Time"), value: localTime(item.at) },
    ],
    children: () => [
      textNode({ id: `${id}/reason`, sessionId, text: why, icon: "info" }),
      ...receipt.failures.map((failure, index) =>
        textNode({ id: `${id}/failure/${index}`, sessionId, text: failureSentence(failure), icon: "close" }),
      ),
      receiptNode(runId, id, sessionId),
    ],
    runId,
  };
}

function attemptIcon(state: EndState): { name: string; color?: string } {
  switch (state) {
    case "rejected":
    case "provider_error":
    case "timed_out":
      return { name: "warning", color: "list.warningForeground" };
    case "stopped":
      return { name: "error", color: "list.errorForeground" };
    default:
      return { name: "circle-slash" };
  }
}

function failureFacts(receipt: CompactionReceipt): TooltipLine[] {
  return [
    { type: "fact", name: endStateName(receipt.state), value: reasonSentence(receipt.reason) },
    ...receipt.failures.map((failure): TooltipLine => ({ type: "text", text: failureSentence(failure) })),
  ];
}

function receiptFacts(receipt: CompactionReceipt): TooltipLine[] {
  const facts: TooltipLine[] = [
    {
      type: "fact",
      name: l10n.t("Tokens"),
      value: l10n.t("{0} → {1}", grouped(receipt.before), grouped(receipt.after)),
    },
    { type: "fact", name: l10n.t("End state"), value: endStateName(receipt.state) },
  ];
  if (receipt.modelId !== undefined)
    facts.push({ type: "fact", name: l10n.t("Model"), value: receipt.modelId });
  return facts;
}

function runDescription(receipt: CompactionReceipt, at: number, now: number): string {
  const { before, after, modelId, state } = receipt;
  const parts = [l10n.t("{0} → {1}", shortTokens(before), shortTokens(after))];
  if (modelId !== undefined) parts.push(oneLine(modelId, 60));
  parts.push(shortTime(at, now), endStateName(state));
  return parts.join(" · ");
}

function spokenRun(receipt: CompactionReceipt, at: number): string {
  const { before, after, modelId, state } = receipt;
  const tokens = didCompact(state)
    ? l10n.t("from {0} to {1} tokens", grouped(before), grouped(after))
    : l10n.t("{0} tokens", grouped(before));
  return [
    endStateName(state),
    tokens,
    ...(modelId === undefined ? [] : [l10n.t("by {0}", oneLine(modelId, 60))]),
    localTime(at),
  ].join(", ");
}

/** The hour of today, else the day. */
function shortTime(at: number, now: number): string {
  const time = localTime(at);
  if (time === "–") return time;
  return time.slice(0, 10) === localTime(now).slice(0, 10) ? time.slice(11, 16) : time.slice(0, 10);
}
