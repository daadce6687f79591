import { l10n } from "vscode";
import type { LiveSession } from "../../engine/liveSession.ts";
import type { CommandId } from "../contributions.ts";
import { commands } from "../contributions.ts";
import { commandLink } from "../markdown.ts";
import { hoverCommands, hoverFacts, readingMarkdown } from "../meterHover.ts";

/** Every command that the report links to. */
export const reportCommands: readonly CommandId[] = [...hoverCommands, commands.openContextAsSent];

/**
 * Where the context stands, as Markdown with theme icons and command links: what the meter's hover says, and links
 * that name the session, since another one may be active when they are clicked. `now` in milliseconds since the epoch.
 */
export function contextReport(live: LiveSession, now: number): string {
  const { id, meter } = live;
  const links = [
    `$(eye) ${commandLink(l10n.t("Preview"), commands.preview, id)}`,
    `$(list-flat) ${commandLink(l10n.t("Transcript"), commands.openTranscript, id)}`,
    `$(arrow-up) ${commandLink(l10n.t("As sent now"), commands.openContextAsSent, id)}`,
  ];
  return [readingMarkdown(meter, hoverFacts(live, now)), links.join("&nbsp;&nbsp; ")].join("\n\n");
}
