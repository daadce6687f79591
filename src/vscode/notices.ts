import * as vscode from "vscode";
import { plainNotice } from "./plainText.ts";

/*
 * The only place that shows notifications: their text comes partly from elsewhere.
 */

/** Resolves with the button that was pressed; undefined = dismissed. */
export function showInformation(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(plainNotice(text), ...buttons);
}

export function showWarning(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(plainNotice(text), ...buttons);
}

export function showError(text: string, ...buttons: string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(plainNotice(text), ...buttons);
}

/** A notification with a Cancel button while `task` runs. */
export function withCancellableProgress<Result>(
  title: string,
  task: (report: (message: string) => void, token: vscode.CancellationToken) => Thenable<Result>,
): Thenable<Result> {
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: plainNotice(title), cancellable: true },
    (progress, token) => task((message) => progress.report({ message: plainNotice(message) }), token),
  );
}
