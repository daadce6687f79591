import type { CommandName } from "../../../src/vscode/contributions.ts";
import { contextKeys } from "../../../src/vscode/contributions.ts";

export interface CommandEntry {
  readonly title: string;
  readonly icon?: string;
  /** When the command palette shows it; `"false"` = it wants an argument that only a tree or a link can give. */
  readonly palette?: string;
}

const {
  sessionOpen,
  readOnly,
  running,
  canUndo,
  hasCapsule,
  canCompare,
  hasReceipt,
  automaticOff,
  pageBefore,
  pageAfter,
} = contextKeys;

export const canCompact = `${sessionOpen} && !${readOnly} && !${running}`;
export const canUndoNow = `${sessionOpen} && ${canUndo} && !${readOnly} && !${running}`;
export const canChangeCapsule = `${hasCapsule} && !${readOnly} && !${running}`;

/** Titles as VS Code writes them: title case, an ellipsis where a person is asked something first. */
export const commandEntries: Readonly<Record<CommandName, CommandEntry>> = {
  compactNow: { title: "Compact Now", icon: "$(archive)", palette: canCompact },
  compactNowWithFocus: { title: "Compact Now with Focus…", palette: canCompact },
  preview: { title: "Preview Compaction", icon: "$(eye)", palette: sessionOpen },
  undo: { title: "Undo Last Compaction", icon: "$(discard)", palette: canUndoNow },
  switchSession: { title: "Switch Session…" },
  openTranscript: { title: "Open Transcript", icon: "$(list-flat)", palette: sessionOpen },
  openContextAsSent: { title: "Open Context as Sent Now", palette: sessionOpen },
  openSettings: { title: "Open Settings", icon: "$(settings-gear)" },
  showMeterActions: { title: "Show Context Actions", palette: sessionOpen },
  newSession: { title: "New Session…", icon: "$(add)" },
  newSessionFromCapsule: {
    title: "New Session from This Capsule",
    icon: "$(git-branch)",
    palette: hasCapsule,
  },
  importSession: { title: "Import Session…", icon: "$(desktop-download)" },
  showImportReport: { title: "Show Import Report", palette: "false" },
  renameSession: { title: "Rename Session…", icon: "$(edit)", palette: `${sessionOpen} && !${readOnly}` },
  deleteSession: { title: "Delete Session", icon: "$(trash)", palette: `${sessionOpen} && !${readOnly}` },
  searchSessions: { title: "Search Sessions…", icon: "$(search)" },
  findSessions: { title: "Find Sessions on Disk", icon: "$(refresh)" },
  continueInChat: { title: "Continue in Chat", icon: "$(comment-discussion)", palette: sessionOpen },
  takeOverSession: {
    title: "Take Over Session",
    icon: "$(unlock)",
    palette: `${sessionOpen} && ${readOnly}`,
  },
  chooseSummarizer: { title: "Choose Summarizer Model…" },
  chooseSessionModel: { title: "Choose Session Model…", palette: sessionOpen },
  turnAutomaticOn: { title: "Turn Automatic Compaction On", palette: automaticOff },
  retireCommitment: { title: "Retire Commitment…", icon: "$(circle-slash)", palette: canChangeCapsule },
  rewordCommitment: { title: "Reword Commitment…", icon: "$(edit)", palette: canChangeCapsule },
  addCommitment: {
    title: "Add Commitment from Message…",
    icon: "$(add)",
    palette: `${sessionOpen} && !${readOnly} && !${running}`,
  },
  restoreCommitment: { title: "Restore Commitment", icon: "$(debug-restart)", palette: "false" },
  pinMessage: {
    title: "Pin Message",
    icon: "$(pin)",
    palette: `${sessionOpen} && !${readOnly} && !${running}`,
  },
  unpinMessage: {
    title: "Unpin Message",
    icon: "$(pinned)",
    palette: `${sessionOpen} && !${readOnly} && !${running}`,
  },
  compareGenerations: { title: "Compare with Previous Generation", icon: "$(diff)", palette: canCompare },
  copyCapsuleAsMarkdown: { title: "Copy Capsule as Markdown", icon: "$(copy)", palette: hasCapsule },
  openOriginal: { title: "Open Original", icon: "$(go-to-file)", palette: "false" },
  openReceipt: { title: "Open Receipt", icon: "$(output)", palette: hasReceipt },
  compareWithSent: {
    title: "Compare Transcript with Context as Sent",
    icon: "$(diff)",
    palette: sessionOpen,
  },
  compareRun: { title: "Compare Context before and after Compaction", icon: "$(diff)", palette: canUndo },
  previousPage: { title: "Previous Page", icon: "$(arrow-left)", palette: pageBefore },
  nextPage: { title: "Next Page", icon: "$(arrow-right)", palette: pageAfter },
  openDocumentTarget: { title: "Open in Session", palette: "false" },
};
