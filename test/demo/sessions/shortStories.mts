/** Two shorter samples for the other formats. */
import { buildLog, searchHits, sourceFile, testRun } from "./outputs.mts";
import type { SeededRandom } from "./seededRandom.mts";
import { seededRandom } from "./seededRandom.mts";
import type { Story, StoryRound } from "./story.mts";

const SEEDS = { seedLibrary: 411, nightBuses: 7_302 };

export function seedLibrary(): Story {
  const random = seededRandom(SEEDS.seedLibrary);
  return {
    name: "seed-library",
    title: "A lending library for seeds",
    folder: "/home/ilse/seed-library",
    system: "You are a careful coding agent in a terminal.",
    model: "demo-writer-1",
    seed: SEEDS.seedLibrary,
    turns: [
      {
        user: "A lending library for seeds: who borrowed what, and how much came back. Store it in one SQLite file. Never delete a loan, only close it.",
        rounds: [
          looking(random, ["schema/loans.js", "schema/members.js"]),
          building(random, "src/loans.js", 22),
        ],
        reply: "Loans are opened and closed, never deleted; a trigger in the schema guards that.",
      },
      {
        user: "Members forget their numbers. Let them log in with a word instead.",
        rounds: [
          {
            say: "I look for where the number is used.",
            calls: [
              {
                tool: "grep",
                input: { pattern: "memberNumber" },
                output: searchHits(random, "memberNumber", 36),
              },
            ],
          },
          building(random, "src/members.js", 25),
        ],
        reply: "Each member has a word of four syllables beside the number.",
      },
      {
        user: "Stop, that is the wrong table.",
        rounds: [
          {
            say: "I read the import first.",
            calls: [{ tool: "bash", input: { command: "node scripts/import.js --dry-run" } }],
          },
        ],
      },
      {
        user: "Import the old card index from cards.txt into loans, and keep the handwritten notes as they are.",
        rounds: [
          looking(random, ["scripts/import.js", "scripts/cards.js"]),
          building(random, "scripts/import.js", 31),
        ],
        reply: "312 cards became loans; the notes are kept letter by letter.",
      },
      {
        user: "Print a list of everything that should have come back before May.",
        rounds: [building(random, "src/overdue.js", 28)],
        reply: "`npm run overdue -- 2026-05-01` prints 41 loans, oldest first.",
      },
    ],
  };
}

export function nightBuses(): Story {
  const random = seededRandom(SEEDS.nightBuses);
  return {
    name: "night-buses",
    title: "Night buses on one page",
    folder: "/home/tomas/night-buses",
    system: "You are a careful coding agent in a terminal.",
    model: "demo-writer-1",
    seed: SEEDS.nightBuses,
    turns: [
      {
        user: "Show the night buses of the next two hours on one page. It must fit on a phone without scrolling sideways.",
        rounds: [looking(random, ["feed/stops.js", "feed/trips.js"]), building(random, "src/page.js", 16)],
        reply: "The page shows 14 departures in one column.",
      },
      {
        user: "Only lines that start with N. And always show the walking time to the stop.",
        rounds: [building(random, "src/lines.js", 19)],
        reply: "Only N lines are left, each with the minutes on foot.",
      },
      {
        user: "The feed was down last night and the page was empty. Show the last timetable then, with its age.",
        rounds: [looking(random, ["src/feed.js"]), building(random, "src/feed.js", 23)],
        reply: "Without the feed the page shows the last timetable and says how old it is.",
      },
    ],
  };
}

function looking(random: SeededRandom, paths: readonly string[]): StoryRound {
  return {
    say: `I read ${paths.join(" and ")}.`,
    calls: paths.map((path) => ({ tool: "read", input: { path }, output: sourceFile(random, path, 14) })),
  };
}

function building(random: SeededRandom, path: string, tests: number): StoryRound {
  return {
    say: `I write ${path} and run the tests.`,
    calls: [
      { tool: "write", input: { path, content: sourceFile(random, path, 8) }, output: `Wrote ${path}.` },
      {
        tool: "bash",
        input: { command: "npm test" },
        output: `${buildLog(random, 12)}\n${testRun(random, tests)}`,
      },
    ],
  };
}
