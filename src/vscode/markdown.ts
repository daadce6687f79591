import type { CommandId } from "./contributions.ts";

/** Text that stands for itself in Markdown, in a table cell too, with theme icons switched on or off. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>~$&]/g, "\\$&").replaceAll(/\s*\n\s*/g, " ");
}

/** A link that runs a command, where the Markdown is trusted for it. */
export function commandLink(label: string, command: CommandId, ...args: readonly unknown[]): string {
  const query = args.length === 0 ? "" : `?${encodeURIComponent(JSON.stringify(args))}`;
  return `[${escapeMarkdown(label)}](command:${command}${query})`;
}
