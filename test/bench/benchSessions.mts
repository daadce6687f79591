/** Session files for the measures, written by the product's own code into a folder that ends with the run. */
import { randomUUID } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatModel } from "../../src/core/model.ts";
import { defaultPolicy } from "../../src/core/policy.ts";
import { createLiveSession } from "../../src/engine/createLiveSession.ts";
import type { EngineSettings } from "../../src/engine/liveSession.ts";
import type { SessionEngine } from "../../src/engine/sessionEngine.ts";
import { createOfflineModel } from "../../src/models/offline/offlineModel.ts";
import type { LogEntry } from "../../src/sessions/entries.ts";
import { nodeFiles } from "../../src/sessions/nodeFiles.ts";
import { nodeProcesses } from "../../src/sessions/nodeProcesses.ts";
import type { OpenSession, SessionStore } from "../../src/sessions/session.ts";
import type { SessionEnvironment, SessionFiles } from "../../src/sessions/sessionFiles.ts";
import { sessionPaths } from "../../src/sessions/sessionPaths.ts";
import { openSessionStore } from "../../src/sessions/sessionStore.ts";
import { useNodePrimitives } from "../../src/vscode/nodePrimitives.ts";
import { seededTranscript } from "./seededTranscript.mts";
import { nextTurn } from "./timing.mts";

export const BYTES_PER_MB = 1e6;
const FIRST_MESSAGE_AT = Date.UTC(2026, 0, 1);
const MESSAGE_EVERY_MS = 4_000;

export interface BenchSession {
  readonly id: string;
  readonly megabytes: number;
  readonly log: string;
  readonly bytes: number;
  readonly messages: number;
}

const SETTINGS: EngineSettings = {
  policy: { ...defaultPolicy, window: 200_000 },
  automatic: "off",
  estimatedMode: false,
  summaryMaxTokens: 2048,
};

/** A storage place of its own. */
export class BenchPlace {
  readonly path: string;

  /** `path`: one that another process made and will remove. */
  constructor(path?: string) {
    this.path = path ?? mkdtempSync(join(tmpdir(), "capsule-bench-"));
  }

  store(files: SessionFiles = nodeFiles): SessionStore {
    const environment: SessionEnvironment = {
      files,
      processes: nodeProcesses,
      now: () => Date.now(),
      newId: () => randomUUID(),
      windowName: "bench",
    };
    return openSessionStore(environment, [this.path]);
  }

  /** A session whose log has this size; texts that stand in files of their own come on top. */
  async create(megabytes: number, seed = 1): Promise<BenchSession> {
    const store = this.store();
    const entries = entriesOf(megabytes * BYTES_PER_MB, seed);
    const id = await store.create({ title: `${megabytes} MB`, entries });
    await store.dispose();
    const log = sessionPaths(this.path, id).log;
    return { id, megabytes, log, bytes: statSync(log).size, messages: entries.length };
  }

  /** A copy that may be written to. Returns its id. */
  copy(session: BenchSession): string {
    const id = randomUUID();
    const [from, to] = [sessionPaths(this.path, session.id), sessionPaths(this.path, id)];
    copyFileSync(from.log, to.log);
    if (existsSync(from.blobs)) cpSync(from.blobs, to.blobs, { recursive: true });
    return id;
  }

  remove(id: string): void {
    const paths = sessionPaths(this.path, id);
    for (const path of [paths.log, paths.blobs, paths.claims]) rmSync(path, { recursive: true, force: true });
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function offlineModel(): ChatModel {
  return createOfflineModel({ name: "Offline", chatReply: "" });
}

/** Makes an open file live as the extension does. The engine itself: the bench also writes through it. */
export async function goLive(file: OpenSession): Promise<SessionEngine> {
  useNodePrimitives();
  const live = await createLiveSession({
    file,
    settings: () => SETTINGS,
    clock: { now: () => Date.now(), delay: () => new Promise(() => {}) },
    newId: () => randomUUID(),
    pause: nextTurn,
  });
  return live as SessionEngine;
}

/** Texts over this size leave the log; see BLOB_LIMIT_BYTES of the sessions. */
const LINE_BYTES_OF_LARGE_OUTPUT = 400;
const LARGE_OUTPUT_CHARACTERS = 32 * 1024;

/** New messages of the usual mix that stay in the log, with ids of their own at each call. */
export function inlineEntries(count: number): LogEntry[] {
  seeds += 1;
  const entries: LogEntry[] = [];
  for (const message of seededTranscript(seeds)) {
    const entry: LogEntry = { type: "message", id: message.id, at: FIRST_MESSAGE_AT, message };
    if (JSON.stringify(entry).length < LARGE_OUTPUT_CHARACTERS / 2) entries.push(entry);
    if (entries.length === count) break;
  }
  return entries;
}

let seeds = 1_000;

function entriesOf(bytes: number, seed: number): LogEntry[] {
  const entries: LogEntry[] = [];
  let written = 0;
  for (const message of seededTranscript(seed)) {
    const at = FIRST_MESSAGE_AT + entries.length * MESSAGE_EVERY_MS;
    const entry: LogEntry = { type: "message", id: message.id, at, message };
    entries.push(entry);
    const lineBytes = Buffer.byteLength(JSON.stringify(entry)) + 1;
    written += lineBytes > LARGE_OUTPUT_CHARACTERS ? LINE_BYTES_OF_LARGE_OUTPUT : lineBytes;
    const isAnswer =
      message.role === "assistant" && message.content.every(({ type }) => type !== "tool-call");
    if (written >= bytes && isAnswer) return entries;
  }
  return entries;
}
