/** The packages whose compaction is measured beside ours; installed on first use, for nothing else needs them. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Message, Part } from "../../src/core/messages.ts";
import { cacheFolder } from "../host/project.mts";
import { runCommand } from "../host/runCommand.mts";

/** With all that they need they take 190 MB, so they are no dependencies of the project. */
const VERSIONS = { ai: "7.0.173", "@mariozechner/pi-coding-agent": "0.73.1" } as const;
const FOLDER = join(cacheFolder, `bench-peers-${Object.values(VERSIONS).join("-")}`);
const PI_COMPACTION = "@mariozechner/pi-coding-agent/dist/core/compaction/compaction.js";

export interface Peers {
  /** `pruneMessages` of `ai`: drops reasoning and the tool calls before the last message. */
  readonly prune: (messages: readonly unknown[]) => unknown;
  /** Finding the cut, as pi does before it summarizes. */
  readonly findCut: (entries: readonly unknown[], keepRecentTokens: number) => unknown;
  /** All of pi's preparation: cut, messages to summarize, file operations. */
  readonly prepare: (entries: readonly unknown[], keepRecentTokens: number) => unknown;
}

/** Undefined, with a sentence printed, where they cannot be had. */
export async function loadPeers(): Promise<Peers | undefined> {
  if (!existsSync(join(FOLDER, "node_modules", PI_COMPACTION))) {
    await mkdir(FOLDER, { recursive: true });
    const manifest = { private: true, dependencies: VERSIONS };
    await writeFile(join(FOLDER, "package.json"), JSON.stringify(manifest));
    console.log("Installing ai and @mariozechner/pi-coding-agent to compare with (once) …");
    const args = ["install", "--no-audit", "--no-fund", "--omit=optional", "--ignore-scripts"];
    const { code, output } = await runCommand("npm", args, { cwd: FOLDER });
    if (code !== 0) {
      console.log(`They could not be installed, so planning is not compared:\n${output}`);
      return undefined;
    }
  }
  const load = (path: string) => import(pathToFileURL(join(FOLDER, "node_modules", path)).href);
  const ai = await load("ai/dist/index.js");
  const pi = await load(PI_COMPACTION);
  return {
    prune: (messages) => ai.pruneMessages({ messages, reasoning: "all", toolCalls: "before-last-message" }),
    findCut: (entries, keepRecentTokens) => pi.findCutPoint(entries, 0, entries.length, keepRecentTokens),
    prepare: (entries, keepRecentTokens) =>
      pi.prepareCompaction(entries, { ...pi.DEFAULT_COMPACTION_SETTINGS, keepRecentTokens }),
  };
}

/** The same transcript as `ai` takes it. */
export function asModelMessages(messages: readonly Message[]): unknown[] {
  return messages.map(({ role, content }) =>
    role === "system" || role === "user"
      ? { role, content: textOf(content) }
      : { role, content: content.map(asModelPart) },
  );
}

/** The same transcript as entries of a pi session. */
export function asPiEntries(messages: readonly Message[]): unknown[] {
  return messages
    .filter(({ role }) => role !== "system")
    .map((message, at) => ({
      type: "message",
      id: message.id,
      parentId: at === 0 ? null : "before",
      timestamp: "2026-01-01T00:00:00.000Z",
      message: asPiMessage(message),
    }));
}

function asModelPart(part: Part): unknown {
  if (part.type !== "tool-result") return part;
  const { output, isError: _isError, ...rest } = part;
  return { ...rest, output: { type: "text", value: output } };
}

function asPiMessage({ role, content }: Message): unknown {
  if (role === "user") return { role, content: textOf(content), timestamp: 0 };
  if (role === "assistant") return { role, content: content.map(asPiPart), stopReason: "stop", timestamp: 0 };
  const [result] = content;
  if (result?.type !== "tool-result") throw new Error("A tool message of the bench holds one result.");
  const { toolCallId, toolName, output } = result;
  return {
    role: "toolResult",
    toolCallId,
    toolName,
    content: [{ type: "text", text: output }],
    timestamp: 0,
  };
}

function asPiPart(part: Part): unknown {
  if (part.type !== "tool-call") return part;
  return { type: "toolCall", id: part.toolCallId, name: part.toolName, arguments: part.input };
}

function textOf(content: readonly Part[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
