/** Loaded by VS Code as `extensionTestsPath`: the measures that only mean something in a real extension host. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { sep } from "node:path";
import * as vscode from "vscode";
import { ActiveSession } from "../../src/vscode/activeSession.ts";
import { openLive } from "../../src/vscode/openSessions.ts";
import { Settings } from "../../src/vscode/settings.ts";
import { StatusBar } from "../../src/vscode/statusBar.ts";
import { appendingRows } from "./appending.mts";
import type { BenchSession } from "./benchSessions.mts";
import { BenchPlace } from "./benchSessions.mts";
import type { LongestBlock } from "./blocks.mts";
import { idleBlock, longestBlock, usualBlock } from "./blocks.mts";
import { ageingRows, runRows } from "./growing.mts";
import type { HostReport, HostTask } from "./hostTask.mts";
import { ACTIVATION_TIMES, TASK_VARIABLE } from "./hostTask.mts";
import { openingRows } from "./opening.mts";
import type { Row } from "./table.mts";
import { blockRow, foreignBlockRow } from "./table.mts";
import { pause } from "./timing.mts";

/** Begins each line that the launcher shows; see launcher.mts. */
const MARK = process.env["CONTEXT_CAPSULE_OUTPUT_MARK"] ?? "";
const STARTUP_LIMIT_MS = 30_000;
const SETTLED_MS = 2_000;
const IDLE_MS = 3_000;
const DOCUMENT_CHARACTERS = 512 * 1024;
const REQUEST_CHARACTERS = 2_000_000;
const DEMO_VENDOR = "context-capsule-demo";

export async function run(): Promise<void> {
  const task = JSON.parse(readFileSync(process.env[TASK_VARIABLE] ?? "", "utf8")) as HostTask;
  const report: HostReport = { activation: await activation(task), rows: await rowsOf(task) };
  writeFileSync(task.reportFile, JSON.stringify(report));
}

function say(line: string): void {
  console.log(`${MARK}${line}`);
}

async function activation(task: HostTask): Promise<HostReport["activation"]> {
  const end = performance.now() + STARTUP_LIMIT_MS;
  while (ACTIVATION_TIMES.some((name) => timesOf(name) === undefined)) {
    if (performance.now() > end) throw new Error("The extensions under test did not activate.");
    await pause(20);
  }
  await pause(SETTLED_MS);
  const [product, empty] = ACTIVATION_TIMES.map(timesOf);
  return {
    product,
    empty,
    bytes: bytesRead(task.productFolder),
    files: filesRead(task.productFolder).length,
  };
}

function timesOf(name: (typeof ACTIVATION_TIMES)[number]) {
  return (globalThis as Record<string, unknown>)[name] as HostReport["activation"]["product"];
}

/** Every file of the product that was loaded, the bench's own entry apart. */
function filesRead(folder: string): string[] {
  const { cache } = createRequire(`${folder}${sep}dist${sep}`);
  return Object.keys(cache).filter((path) => path.startsWith(`${folder}${sep}dist${sep}`));
}

function bytesRead(folder: string): number {
  return filesRead(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

async function rowsOf({ placePath, sessions, ages, compacted, rounds }: HostTask): Promise<Row[]> {
  if (placePath === undefined) return [];
  const place = new BenchPlace(placePath);
  const rows = [foreignBlockRow("nothing runs", await idleBlock(IDLE_MS)), ...(await ownShareOfTheHost())];
  say("  sessions …");
  rows.push(...(await openingRows(place, sessions, rounds)));
  rows.push(await shownRow(place, sessions.at(-1) as BenchSession, rounds));
  say("  appending …");
  rows.push(...(await appendingRows(place, rounds)));
  say("  growing old …");
  rows.push(...(await ageingRows(place, ages, rounds)));
  say("  runs …");
  rows.push(...(await runRows(place, compacted, rounds)));
  return rows;
}

/** What VS Code does in this process by itself: large documents and large requests go through it. */
async function ownShareOfTheHost(): Promise<Row[]> {
  const content = "A line of a document that an extension opens.\n".repeat(DOCUMENT_CHARACTERS / 46);
  const document = await longestBlock(async () => {
    await vscode.workspace.openTextDocument({ content, language: "plaintext" });
  });
  const rows = [foreignBlockRow("VS Code's own, a document of 512 kB", document)];
  const [model] = await vscode.lm.selectChatModels({ vendor: DEMO_VENDOR });
  if (model === undefined) return rows;
  const text = "Some words of a long request. ".repeat(REQUEST_CHARACTERS / 30);
  const request = await longestBlock(async () => {
    const cancel = new vscode.CancellationTokenSource();
    const response = await model.sendRequest(
      [vscode.LanguageModelChatMessage.User(text)],
      { justification: "bench" },
      cancel.token,
    );
    for await (const _piece of response.text) break;
    cancel.cancel();
  });
  return [...rows, foreignBlockRow("VS Code's own, a model request of 2 MB", request)];
}

/** The product's own way: session opened, made active, meter and hover drawn. */
async function shownRow(place: BenchPlace, session: BenchSession, rounds: number): Promise<Row> {
  const blocks: LongestBlock[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const memory = new Map<string, unknown>();
    const workspaceState: vscode.Memento = {
      keys: () => [...memory.keys()],
      get: <Value,>(key: string, fallback?: Value) => (memory.get(key) as Value | undefined) ?? fallback,
      update: async (key: string, value: unknown) => void memory.set(key, value),
    };
    const settings = new Settings(workspaceState);
    const sessions = new ActiveSession({
      openStore: async () => place.store(),
      openLive: (file) => openLive(file, settings),
      workspaceState,
    });
    const meter = new StatusBar(sessions);
    blocks.push(
      await longestBlock(async () => {
        const live = await sessions.activate(session.id);
        while (live.meter.evictable === undefined) await pause(5);
        // The meter is drawn a little after a change.
        await pause(300);
      }),
    );
    await sessions.close();
    meter.dispose();
    settings.dispose();
  }
  return blockRow(`${session.megabytes} MB made active, meter drawn`, usualBlock(blocks));
}
