/**
 * Every id that package.json and the code share, once, with its type. `test/tools/manifest.ts` makes the `contributes`
 * section from this file; nothing here needs `vscode`, so that tests and scripts can read it.
 */
import {
  DEFAULT_KEEP_RECENT_TOKENS,
  DEFAULT_KEEP_RECENT_TURNS,
  DEFAULT_MIN_REMAINING,
} from "../core/policy.ts";

export const EXTENSION_ID = "context-capsule.context-capsule";

const command = <Name extends string>(name: Name): `contextCapsule.${Name}` => `contextCapsule.${name}`;

export const commands = {
  compactNow: command("compactNow"),
  compactNowWithFocus: command("compactNowWithFocus"),
  preview: command("preview"),
  undo: command("undo"),
  switchSession: command("switchSession"),
  openTranscript: command("openTranscript"),
  openContextAsSent: command("openContextAsSent"),
  openSettings: command("openSettings"),
  showMeterActions: command("showMeterActions"),
  newSession: command("newSession"),
  newSessionFromCapsule: command("newSessionFromCapsule"),
  importSession: command("importSession"),
  showImportReport: command("showImportReport"),
  renameSession: command("renameSession"),
  deleteSession: command("deleteSession"),
  searchSessions: command("searchSessions"),
  findSessions: command("findSessions"),
  continueInChat: command("continueInChat"),
  takeOverSession: command("takeOverSession"),
  chooseSummarizer: command("chooseSummarizer"),
  chooseSessionModel: command("chooseSessionModel"),
  turnAutomaticOn: command("turnAutomaticOn"),
  retireCommitment: command("retireCommitment"),
  rewordCommitment: command("rewordCommitment"),
  addCommitment: command("addCommitment"),
  restoreCommitment: command("restoreCommitment"),
  pinMessage: command("pinMessage"),
  unpinMessage: command("unpinMessage"),
  compareGenerations: command("compareGenerations"),
  copyCapsuleAsMarkdown: command("copyCapsuleAsMarkdown"),
  openOriginal: command("openOriginal"),
  openReceipt: command("openReceipt"),
  compareWithSent: command("compareWithSent"),
  compareRun: command("compareRun"),
  previousPage: command("previousPage"),
  nextPage: command("nextPage"),
  openDocumentTarget: command("openDocumentTarget"),
} as const;

export type CommandName = keyof typeof commands;
export type CommandId = (typeof commands)[CommandName];

/** A session by its id, or a tree element that carries one. No argument = the active session. */
export type SessionTarget = string | { readonly sessionId: string };

/** What the Capsules view's elements and command links carry. A missing `sessionId` = the active session. */
export interface CommitmentTarget {
  readonly sessionId?: string;
  readonly key: string;
}
export interface MessageTarget {
  readonly sessionId?: string;
  readonly messageId: string;
}
export interface SegmentTarget {
  readonly sessionId?: string;
  readonly segmentId: string;
}
export interface GenerationTarget {
  readonly sessionId?: string;
  readonly generation: number;
}
export interface RunTarget {
  readonly sessionId?: string;
  readonly runId: string;
}

export const views = {
  container: "contextCapsule",
  sessions: "contextCapsule.sessions",
  capsules: "contextCapsule.capsules",
} as const;

/** Set by `setContext`; the type of the value stands behind each. */
export const contextKeys = {
  /** boolean: a session is active. */
  sessionOpen: "contextCapsule.sessionOpen",
  /** boolean: this window may not write the active session. */
  readOnly: "contextCapsule.readOnly",
  /** boolean: a compaction of the active session is running. */
  running: "contextCapsule.running",
  /** boolean: the active session has a run that can be taken back. */
  canUndo: "contextCapsule.canUndo",
  /** boolean: the active session has a capsule. */
  hasCapsule: "contextCapsule.hasCapsule",
  /** boolean: the active session has a generation before its newest one. */
  canCompare: "contextCapsule.canCompare",
  /** boolean: there is a run with a receipt. */
  hasReceipt: "contextCapsule.hasReceipt",
  /** boolean: automatic compaction is off, undecided, or paused after an undo. */
  automaticOff: "contextCapsule.automaticOff",
  /** boolean: the list of sessions was read and is empty. */
  noSessions: "contextCapsule.noSessions",
  /** boolean: the active editor shows the transcript of a session. */
  transcriptShown: "contextCapsule.transcriptShown",
  /** boolean: the active editor shows a document of ours that has a page before, or after, this one. */
  pageBefore: "contextCapsule.pageBefore",
  pageAfter: "contextCapsule.pageAfter",
} as const;

export type ContextKey = (typeof contextKeys)[keyof typeof contextKeys];

/**
 * Words of which a tree item's `contextValue` is made, with blanks between (`generation latest undoable`); menus test
 * for one word of it.
 */
export const itemWords = {
  session: "session",
  activeSession: "activeSession",
  readOnlySession: "readOnlySession",
  withCapsule: "withCapsule",
  generation: "generation",
  latest: "latest",
  undoable: "undoable",
  comparable: "comparable",
  commitment: "commitment",
  retiredCommitment: "retiredCommitment",
  /** Cites a message that can be pinned, or is pinned. */
  pinnable: "pinnable",
  pinned: "pinned",
  evictedPart: "evictedPart",
  receipt: "receipt",
  /** Made by a run that changed the context: the context before and after it can be compared. */
  run: "run",
} as const;

export type ItemWord = (typeof itemWords)[keyof typeof itemWords];

export function contextValue(...words: readonly (ItemWord | false | undefined)[]): string {
  return words.filter((word) => typeof word === "string").join(" ");
}

export const SETTINGS_PREFIX = "contextCapsule";

export type SettingRule =
  | {
      readonly type: "integer";
      readonly default: number | null;
      /** null is a value of its own: "what the model says". */
      readonly nullable: boolean;
      readonly minimum: number;
      readonly maximum: number;
    }
  | { readonly type: "choice"; readonly default: string; readonly values: readonly string[] }
  | { readonly type: "boolean"; readonly default: boolean }
  | { readonly type: "text"; readonly default: string };

const MAX_TOKENS = 100_000_000;

export const settingRules = {
  window: { type: "integer", default: null, nullable: true, minimum: 1024, maximum: MAX_TOKENS },
  contextBudget: { type: "integer", default: null, nullable: true, minimum: 1024, maximum: MAX_TOKENS },
  minRemaining: {
    type: "integer",
    default: DEFAULT_MIN_REMAINING,
    nullable: false,
    minimum: 0,
    maximum: MAX_TOKENS,
  },
  keepRecentTokens: {
    type: "integer",
    default: DEFAULT_KEEP_RECENT_TOKENS,
    nullable: false,
    minimum: 0,
    maximum: MAX_TOKENS,
  },
  keepRecentTurns: {
    type: "integer",
    default: DEFAULT_KEEP_RECENT_TURNS,
    nullable: false,
    minimum: 0,
    maximum: 1000,
  },
  summaryMaxTokens: { type: "integer", default: 8192, nullable: false, minimum: 256, maximum: 1_000_000 },
  automatic: { type: "choice", default: "ask", values: ["ask", "on", "off"] },
  estimatedMode: { type: "boolean", default: false },
  summarizer: { type: "text", default: "" },
} as const satisfies Record<string, SettingRule>;

export type SettingName = keyof typeof settingRules;

type ValueOf<Rule extends SettingRule> = Rule extends { type: "integer"; nullable: true }
  ? number | null
  : Rule extends { type: "integer" }
    ? number
    : Rule extends { type: "choice"; values: readonly (infer Value)[] }
      ? Value
      : Rule extends { type: "boolean" }
        ? boolean
        : string;

export type SettingValues = { readonly [Name in SettingName]: ValueOf<(typeof settingRules)[Name]> };

/** Settings that an untrusted workspace may not set: they decide who reads the chat and whether money is spent. */
export const restrictedSettings = [
  "automatic",
  "estimatedMode",
  "summarizer",
] as const satisfies SettingName[];

export function settingKey(name: SettingName): `contextCapsule.${SettingName}` {
  return `${SETTINGS_PREFIX}.${name}`;
}

export const participant = {
  id: "context-capsule.capsule",
  name: "capsule",
  commands: ["compact", "context", "undo", "new"],
} as const;

export type ParticipantCommand = (typeof participant.commands)[number];

/** Vendor of the models that this extension offers to others: the offline summarizer. */
export const MODEL_VENDOR = "context-capsule";

/** Scheme of the read-only documents: transcript, context as sent, receipt, originals. */
export const DOCUMENT_SCHEME = "context-capsule";

/** Language of the documents that are made of messages. */
export const DOCUMENT_LANGUAGE = "context-capsule-record";

export const walkthrough = { id: "start", steps: ["session", "meter", "compact"] } as const;
