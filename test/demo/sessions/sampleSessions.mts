/** The sample sessions of the demo and of tests, made the same on every machine. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { claudeCodeFile } from "./claudeCode.mts";
import { openAiFile } from "./openAi.mts";
import { piFile } from "./pi.mts";
import { nightBuses, seedLibrary } from "./shortStories.mts";
import { tideTables } from "./tideTables.mts";

export interface SampleSession {
  readonly fileName: string;
  readonly title: string;
  readonly text: string;
}

/** Over 60,000 tokens by the product's estimate, in Claude Code's format; what the demo starts with. */
export function longSample(): SampleSession {
  const story = tideTables();
  return { fileName: `${story.name}.claude.jsonl`, title: story.title, text: claudeCodeFile(story) };
}

export function sampleSessions(): SampleSession[] {
  const library = seedLibrary();
  const buses = nightBuses();
  return [
    longSample(),
    { fileName: `${library.name}.pi.jsonl`, title: library.title, text: piFile(library) },
    { fileName: `${buses.name}.openai.json`, title: buses.title, text: openAiFile(buses) },
  ];
}

/** Writes all of them into `folder`. */
export async function writeSampleSessions(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { fileName, text } of sampleSessions()) await writeFile(join(folder, fileName), text);
}
