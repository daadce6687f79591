import type * as vscode from "vscode";
import { l10n } from "vscode";
import type { ParticipantCommand } from "../contributions.ts";
import { participant } from "../contributions.ts";
import type { ChatOffer } from "./chatMetadata.ts";
import { readChatMetadata } from "./chatMetadata.ts";

const offers: Readonly<
  Record<ChatOffer, { readonly label: () => string; readonly command: ParticipantCommand }>
> = {
  compact: { label: () => l10n.t("Compact this chat's context"), command: "compact" },
  context: { label: () => l10n.t("Show what the context holds now"), command: "context" },
  undo: { label: () => l10n.t("Take back one more compaction"), command: "undo" },
};

/** What is worth doing after a turn, as its result says. */
export function followups(result: vscode.ChatResult): vscode.ChatFollowup[] {
  const offer = readChatMetadata(result.metadata)?.offer;
  if (offer === undefined) return [];
  const { label, command } = offers[offer];
  return [{ prompt: "", label: label(), command, participant: participant.id }];
}
