import * as vscode from "vscode";
import type { LiveSession } from "../engine/liveSession.ts";
import type { CommandId } from "./contributions.ts";
import { commands } from "./contributions.ts";
import { fullnessWords } from "./meterText.ts";
import { plainLabel } from "./plainText.ts";
import { shortTokens } from "./words.ts";

export interface MeterAction extends vscode.QuickPickItem {
  readonly command: CommandId;
}

/** What the quick pick of the meter offers now; what cannot run is not there. */
export function meterActions({ meter, context }: LiveSession): readonly MeterAction[] {
  const mayWrite = !meter.readOnly && meter.running === undefined;
  const canUndo = mayWrite && context.runs.length > 0;
  const { evictable } = meter;
  return [
    ...(mayWrite
      ? [
          {
            command: commands.compactNow,
            label: `$(archive) ${vscode.l10n.t("Compact Now")}`,
            description:
              evictable === undefined || evictable.count === 0
                ? ""
                : vscode.l10n.t("about {0} tokens can be evicted", shortTokens(evictable.tokens)),
          },
          {
            command: commands.compactNowWithFocus,
            label: `$(target) ${vscode.l10n.t("Compact Now with Focus…")}`,
          },
        ]
      : []),
    ...(meter.readOnly
      ? [{ command: commands.takeOverSession, label: `$(unlock) ${vscode.l10n.t("Take Over Session")}` }]
      : []),
    {
      command: commands.preview,
      label: `$(eye) ${vscode.l10n.t("Preview")}`,
      description: vscode.l10n.t("what would stay, leave and be summarized; writes nothing"),
    },
    ...(canUndo
      ? [{ command: commands.undo, label: `$(discard) ${vscode.l10n.t("Undo Last Compaction")}` }]
      : []),
    {
      command: commands.chooseSessionModel,
      label: `$(symbol-ruler) ${vscode.l10n.t("Choose Session Model…")}`,
      description:
        meter.modelName === undefined ? vscode.l10n.t("no model yet") : plainLabel(meter.modelName),
    },
    { command: commands.switchSession, label: `$(arrow-swap) ${vscode.l10n.t("Switch Session…")}` },
    { command: commands.openTranscript, label: `$(list-flat) ${vscode.l10n.t("Open Transcript")}` },
    { command: commands.openSettings, label: `$(settings-gear) ${vscode.l10n.t("Settings")}` },
  ];
}

/** The meter's click. It changes nothing by itself. */
export async function showMeterActions(live: LiveSession): Promise<void> {
  const fullness = fullnessWords(live.meter);
  const picked = await vscode.window.showQuickPick(meterActions(live), {
    title: fullness === "" ? live.meter.title : `${live.meter.title} · ${fullness}`,
    placeHolder: vscode.l10n.t("Choose what to do with this session's context"),
  });
  if (picked !== undefined) await vscode.commands.executeCommand(picked.command);
}
