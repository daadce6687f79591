import * as vscode from "vscode";
import type { ChatModel } from "../../core/model.ts";
import type { LiveSession } from "../../engine/liveSession.ts";
import { showInformation } from "../notices.ts";
import { sessionModelItems } from "./modelItems.ts";

/**
 * Asks which model a session is measured against, until a chat answers with another: an imported session has none,
 * so its window is unknown. Nothing is sent; a model that counts is asked to count. False = dismissed.
 */
export async function pickSessionModel(
  live: Pick<LiveSession, "meter" | "setModel">,
  models: { list(): Promise<readonly ChatModel[]>; byId(id: string): Promise<ChatModel | undefined> },
): Promise<boolean> {
  const items = sessionModelItems(await models.list(), live.meter.modelId);
  if (items.length === 0) {
    void showInformation(
      vscode.l10n.t(
        "No language model is installed. Set the context window in the settings to see how full a session is.",
      ),
    );
    return false;
  }
  const item = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Choose Session Model"),
    placeHolder: vscode.l10n.t("Which model's context window does this session have to fit?"),
    matchOnDescription: true,
  });
  const model = item === undefined ? undefined : await models.byId(item.value);
  if (model === undefined) return false;
  await live.setModel(model);
  return true;
}
