import type { CommandName, ItemWord } from "../../../src/vscode/contributions.ts";
import { contextKeys, itemWords, views } from "../../../src/vscode/contributions.ts";
import { canChangeCapsule, canCompact, canUndoNow } from "./commandEntries.ts";

export interface MenuEntry {
  readonly command: CommandName;
  readonly when: string;
  readonly group: string;
}

const { sessionOpen, readOnly, running, hasCapsule, hasReceipt } = contextKeys;
const inSessions = `view == ${views.sessions}`;
const inCapsules = `view == ${views.capsules}`;

/** The item's `contextValue` holds this word. */
const item = (word: ItemWord): string => `viewItem =~ /\\b${word}\\b/`;
const all = (...conditions: readonly string[]): string => conditions.join(" && ");

const mayWrite = all(`!${readOnly}`, `!${running}`);

export const viewTitleMenu: readonly MenuEntry[] = [
  { command: "newSession", when: inSessions, group: "navigation@1" },
  { command: "importSession", when: inSessions, group: "navigation@2" },
  { command: "searchSessions", when: inSessions, group: "navigation@3" },
  { command: "findSessions", when: inSessions, group: "1_sessions@1" },
  { command: "chooseSummarizer", when: inSessions, group: "9_settings@1" },
  { command: "openSettings", when: inSessions, group: "9_settings@2" },

  { command: "compactNow", when: all(inCapsules, canCompact), group: "navigation@1" },
  { command: "preview", when: all(inCapsules, sessionOpen), group: "navigation@2" },
  { command: "undo", when: all(inCapsules, canUndoNow), group: "navigation@3" },
  { command: "compactNowWithFocus", when: all(inCapsules, canCompact), group: "1_compact@1" },
  { command: "addCommitment", when: all(inCapsules, canChangeCapsule), group: "2_commitments@1" },
  { command: "pinMessage", when: all(inCapsules, sessionOpen, mayWrite), group: "2_commitments@2" },
  { command: "copyCapsuleAsMarkdown", when: all(inCapsules, hasCapsule), group: "3_capsule@1" },
  { command: "newSessionFromCapsule", when: all(inCapsules, hasCapsule), group: "3_capsule@2" },
  { command: "openReceipt", when: all(inCapsules, hasReceipt), group: "3_capsule@3" },
  { command: "chooseSummarizer", when: inCapsules, group: "9_settings@1" },
  { command: "openSettings", when: inCapsules, group: "9_settings@2" },
];

const session = all(inSessions, item(itemWords.session));
const writableSession = all(session, `!(${item(itemWords.readOnlySession)})`);
const generation = all(inCapsules, item(itemWords.generation));
const commitment = all(inCapsules, item(itemWords.commitment), mayWrite);

export const viewItemMenu: readonly MenuEntry[] = [
  { command: "takeOverSession", when: all(inSessions, item(itemWords.readOnlySession)), group: "inline@1" },
  { command: "compactNow", when: writableSession, group: "inline@2" },
  { command: "continueInChat", when: session, group: "inline@3" },
  { command: "openTranscript", when: session, group: "1_open@2" },
  { command: "openContextAsSent", when: session, group: "1_open@3" },
  { command: "continueInChat", when: session, group: "1_open@4" },
  { command: "compactNow", when: writableSession, group: "2_compact@1" },
  { command: "compactNowWithFocus", when: writableSession, group: "2_compact@2" },
  { command: "preview", when: session, group: "2_compact@3" },
  { command: "undo", when: all(inSessions, item(itemWords.activeSession), canUndoNow), group: "2_compact@4" },
  {
    command: "newSessionFromCapsule",
    when: all(inSessions, item(itemWords.withCapsule)),
    group: "3_edit@1",
  },
  { command: "renameSession", when: writableSession, group: "3_edit@2" },
  { command: "takeOverSession", when: all(inSessions, item(itemWords.readOnlySession)), group: "3_edit@3" },
  { command: "deleteSession", when: writableSession, group: "4_delete@1" },

  { command: "undo", when: all(inCapsules, item(itemWords.undoable), canUndoNow), group: "inline@1" },
  { command: "compareGenerations", when: all(inCapsules, item(itemWords.comparable)), group: "inline@2" },
  { command: "copyCapsuleAsMarkdown", when: generation, group: "inline@3" },
  { command: "undo", when: all(inCapsules, item(itemWords.undoable), canUndoNow), group: "1_generation@1" },
  {
    command: "compareGenerations",
    when: all(inCapsules, item(itemWords.comparable)),
    group: "1_generation@2",
  },
  { command: "compareRun", when: all(inCapsules, item(itemWords.run)), group: "1_generation@3" },
  { command: "copyCapsuleAsMarkdown", when: generation, group: "1_generation@4" },
  {
    command: "newSessionFromCapsule",
    when: all(inCapsules, item(itemWords.latest)),
    group: "1_generation@5",
  },
  {
    command: "addCommitment",
    when: all(inCapsules, item(itemWords.latest), mayWrite),
    group: "2_commitments@1",
  },

  { command: "rewordCommitment", when: commitment, group: "inline@1" },
  { command: "retireCommitment", when: commitment, group: "inline@2" },
  { command: "pinMessage", when: all(inCapsules, item(itemWords.pinnable), mayWrite), group: "inline@3" },
  { command: "unpinMessage", when: all(inCapsules, item(itemWords.pinned), mayWrite), group: "inline@3" },
  { command: "rewordCommitment", when: commitment, group: "1_commitment@1" },
  { command: "retireCommitment", when: commitment, group: "1_commitment@2" },
  {
    command: "pinMessage",
    when: all(inCapsules, item(itemWords.pinnable), mayWrite),
    group: "1_commitment@3",
  },
  {
    command: "unpinMessage",
    when: all(inCapsules, item(itemWords.pinned), mayWrite),
    group: "1_commitment@3",
  },
  {
    command: "restoreCommitment",
    when: all(inCapsules, item(itemWords.retiredCommitment), mayWrite),
    group: "inline@1",
  },

  { command: "openOriginal", when: all(inCapsules, item(itemWords.evictedPart)), group: "inline@1" },
  { command: "openReceipt", when: all(inCapsules, item(itemWords.receipt)), group: "inline@1" },
];

const inTranscript = contextKeys.transcriptShown;

/** Of our own read-only documents. */
export const editorTitleMenu: readonly MenuEntry[] = [
  { command: "previousPage", when: contextKeys.pageBefore, group: "navigation@1" },
  { command: "nextPage", when: contextKeys.pageAfter, group: "navigation@2" },
  { command: "compareWithSent", when: inTranscript, group: "navigation@3" },
];

export const editorContextMenu: readonly MenuEntry[] = [
  { command: "addCommitment", when: all(inTranscript, mayWrite), group: "1_capsule@1" },
  { command: "pinMessage", when: all(inTranscript, mayWrite), group: "1_capsule@2" },
  { command: "compareWithSent", when: inTranscript, group: "2_capsule@1" },
];

/** A transcript of another agent, told by its extension alone; the importer looks inside. */
export const explorerMenu: readonly MenuEntry[] = [
  { command: "importSession", when: "resourceExtname == .jsonl", group: "7_modification@90" },
];
