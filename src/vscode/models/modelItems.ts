import * as vscode from "vscode";
import type { ChatModel } from "../../core/model.ts";
import { OFFLINE_MODEL_ID } from "../../models/offline/offlineModelId.ts";
import { plainLabel } from "../plainText.ts";
import { shortTokens } from "../words.ts";

export interface ModelItem extends vscode.QuickPickItem {
  /** Id of the model; "" = the model of the chat. */
  readonly value: string;
}

/** Rows to pick a summarizer from; the one of the setting is marked and comes first in the list's eye. */
export function summarizerItems(models: readonly ChatModel[], current: string): readonly ModelItem[] {
  const chat: ModelItem = {
    value: "",
    label: vscode.l10n.t("The chat's own model"),
    detail: vscode.l10n.t("The offline summarizer where a session has none yet."),
  };
  return markCurrent([chat, ...models.map(modelItem)], current);
}

/** Rows to pick the model whose window a session is measured against. */
export function sessionModelItems(
  models: readonly ChatModel[],
  current: string | undefined,
): readonly ModelItem[] {
  return markCurrent(models.filter(({ id }) => id !== OFFLINE_MODEL_ID).map(modelItem), current);
}

function modelItem({ id, name, limits: { maxInputTokens } }: ChatModel): ModelItem {
  return {
    value: id,
    label: plainLabel(name),
    description: plainLabel(id),
    detail: modelDetail(id, maxInputTokens),
  };
}

function modelDetail(id: string, maxInputTokens: number | undefined): string {
  if (id === OFFLINE_MODEL_ID) {
    return vscode.l10n.t("Extracts word for word, no language model: no key, no network, no cost.");
  }
  return maxInputTokens === undefined
    ? vscode.l10n.t("Context window unknown")
    : vscode.l10n.t("Context window: {0} tokens", shortTokens(maxInputTokens));
}

function markCurrent(items: readonly ModelItem[], current: string | undefined): readonly ModelItem[] {
  return items.map((item) =>
    item.value === current ? { ...item, iconPath: new vscode.ThemeIcon("check") } : item,
  );
}
