import assert from "node:assert/strict";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import type { CompactOutcome } from "../../../src/core/compactionOutcome.ts";
import { estimateContext } from "../../../src/core/estimate.ts";
import type { Message, Usage } from "../../../src/core/messages.ts";
import type { ModelChunk, ModelRequest } from "../../../src/core/model.ts";
import { utf8Length } from "../../../src/core/utf8.ts";
import type {
  ChatOutcome,
  ChatRequest,
  EngineSettings,
  LiveSession,
} from "../../../src/engine/liveSession.ts";
import { importSession } from "../../../src/sessions/import/importSession.ts";
import { importedEntries } from "../../../src/sessions/importedEntries.ts";
import { sampleSessions } from "../../demo/sessions/sampleSessions.mts";
import { draftText, ScriptedModel } from "../core/ladderWorld.ts";
import type { EngineWorld } from "../engine/engineWorld.ts";

const TRANSCRIPTS = new URL("../../../../shared/transcripts/", import.meta.url);

/** Settings under which window pressure acts by itself, on a window of 8000 unless another is given. */
export function automatic(changes: Partial<EngineSettings["policy"]> = {}): EngineSettings {
  return {
    policy: { minRemaining: 2000, keepRecentTokens: 600, keepRecentTurns: 1, ...changes },
    automatic: "on",
    estimatedMode: true,
    summaryMaxTokens: 1000,
  };
}

/** A model that answers a chat with these words and reports this usage, where it reports one. */
export function talker(
  words: string,
  window: number,
  usage?: (request: ModelRequest) => Usage,
): ScriptedModel {
  return new ScriptedModel(async function* (request): AsyncGenerator<ModelChunk> {
    yield { type: "text", text: words };
    if (usage !== undefined) yield { type: "usage", usage: usage(request) };
    yield { type: "finish", reason: "stop" };
  }, window);
}

/** A model that writes this draft. */
export function drafter(changes: object = {}, window = 1_000_000): ScriptedModel {
  return new ScriptedModel(draftText(changes), window);
}

export interface Said {
  readonly outcome: ChatOutcome;
  readonly runs: readonly CompactOutcome[];
  readonly text: string;
}

/** One exchange of a chat, with all that it told. */
export async function say(
  live: LiveSession,
  text: string,
  request: Pick<ChatRequest, "model"> & Partial<ChatRequest>,
): Promise<Said> {
  const runs: CompactOutcome[] = [];
  let told = "";
  const outcome = await live.chat({
    text,
    attachments: [],
    signal: new AbortController().signal,
    onText: (chunk) => {
      told += chunk;
    },
    onCompaction: (run) => void runs.push(run),
    ...request,
  });
  return { outcome, runs, text: told };
}

export function compact(
  live: LiveSession,
  model: ScriptedModel | undefined,
  signal = new AbortController().signal,
) {
  return live.compact({ trigger: "manual", model, signal });
}

/** A new session with all that a file holds, as the import command makes it. */
export async function importFile(
  world: EngineWorld,
  fileName: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<LiveSession> {
  const result = await importSession({ fileName, chunks });
  assert.ok(result.ok, result.ok ? "" : `${fileName}: ${result.reason}`);
  let ids = 0;
  const entries = await importedEntries(result.imported, {
    newId: () => `imported-${++ids}`,
    now: 1,
    pause: () => undefined,
  });
  return world.open(await world.store.create({ title: fileName, entries }));
}

export async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield Buffer.from(text);
}

export interface Sample {
  readonly name: string;
  open(world: EngineWorld): Promise<LiveSession>;
  text(): string;
}

/** The project's own sessions and, where the folder is there, real ones of other agents. */
export function samples(): Sample[] {
  const own = sampleSessions().map(({ fileName, text }) => ({
    name: fileName,
    text: () => text,
    open: (world: EngineWorld) => importFile(world, fileName, bytesOf(text)),
  }));
  if (!existsSync(TRANSCRIPTS)) {
    console.warn(`SKIPPED: the sample transcripts are missing (${TRANSCRIPTS.pathname})`);
    return own;
  }
  const real = [
    "pi-small.jsonl",
    "pi-large-session.jsonl",
    "claude-small.jsonl",
    "claude-fe5e.jsonl",
    "claude-98b7-compacted.jsonl",
    "swe-marshmallow.traj",
  ].map((name) => {
    const url = new URL(name, TRANSCRIPTS);
    return {
      name,
      text: () => readFileSync(url, "utf8"),
      open: (world: EngineWorld) => importFile(world, name, createReadStream(url)),
    };
  });
  return [...own, ...real];
}

/** UTF-8 bytes of all text of a request: what no tokenizer exceeds. */
export function requestBytes({ messages }: ModelRequest): number {
  return utf8Length(JSON.stringify(messages.map(({ content }) => content)));
}

export function requestTokens({ messages }: ModelRequest): number {
  return estimateContext(messages);
}

/** Every call of a request has its result right behind its round, every result its call, no id of a message twice. */
export function assertSendable({ messages }: ModelRequest, told = ""): void {
  let open: string[] = [];
  const ids = new Set<string>();
  for (const message of messages) {
    assert.ok(!ids.has(message.id), `${told}: ${message.id} stands twice`);
    ids.add(message.id);
    if (message.role !== "tool") {
      assert.deepEqual(open, [], `${told}: calls without a result before ${message.id}`);
      open = message.content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
      continue;
    }
    for (const part of message.content) {
      if (part.type !== "tool-result") continue;
      const at = open.indexOf(part.toolCallId);
      assert.ok(at >= 0, `${told}: a result without its call in ${message.id}`);
      open.splice(at, 1);
    }
  }
  assert.deepEqual(open, [], `${told}: open calls at the end`);
}

/** The messages of a request with this text and nothing else. */
export function withText({ messages }: ModelRequest, text: string): Message[] {
  return messages.filter(
    ({ content }) => content.length === 1 && content[0]?.type === "text" && content[0].text === text,
  );
}

/** Waits for a condition turn by turn; one that does not come fails the test instead of keeping it alive for ever. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`Never came: ${condition.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
