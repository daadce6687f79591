/**
 * `npm run bench`: how fast the product is, each measure beside its goal and what it is compared with.
 *
 *     npm run bench                      everything
 *     npm run bench -- --quick           smaller sessions, fewer rounds
 *     npm run bench -- opening planning  only these parts
 *
 * Ends with 0 also when a goal is missed; the last line says so.
 */
import { end, endCleanly } from "../host/endings.mts";
import { appendingRows } from "./appending.mts";
import { BenchPlace } from "./benchSessions.mts";
import { idleBlock } from "./blocks.mts";
import type { Ages } from "./growing.mts";
import { ageingRows, runRows } from "./growing.mts";
import { measureInHost } from "./hostRun.mts";
import { openingRows } from "./opening.mts";
import { planningRows } from "./planning.mts";
import type { Row } from "./table.mts";
import { foreignBlockRow, printTable, verdict } from "./table.mts";

interface Scale {
  readonly rounds: number;
  readonly openedMegabytes: readonly number[];
  readonly plannedMessages: readonly number[];
  /** Sizes of which the second is twice the first. */
  readonly ages: readonly [number, number];
  /** The same of contexts to compact: four million bytes are about a million tokens. */
  readonly compacted: readonly [number, number];
  /** Inside the extension host, which holds all of it at once. */
  readonly inHost: {
    readonly starts: number;
    readonly rounds: number;
    readonly openedMegabytes: readonly number[];
  };
}

const FULL: Scale = {
  rounds: 7,
  openedMegabytes: [1, 10, 100],
  plannedMessages: [1_000, 10_000, 100_000],
  ages: [25, 50],
  compacted: [2, 4],
  inHost: { starts: 3, rounds: 5, openedMegabytes: [1, 10, 100] },
};
const QUICK: Scale = {
  rounds: 3,
  openedMegabytes: [1, 10],
  plannedMessages: [1_000, 10_000],
  ages: [4, 8],
  compacted: [1, 2],
  inHost: { starts: 1, rounds: 3, openedMegabytes: [1, 10] },
};
const IDLE_MS = 1_500;

const PARTS = ["planning", "opening", "appending", "growing", "host"] as const;
type Part = (typeof PARTS)[number];

endCleanly();
await end(await main(process.argv.slice(2)));

async function main(args: readonly string[]): Promise<number> {
  const scale = args.includes("--quick") ? QUICK : FULL;
  const named = args.filter((arg) => !arg.startsWith("--"));
  const unknown = [...named.filter((name) => !isPart(name)), ...args.filter(isUnknownFlag)];
  if (unknown.length > 0) {
    console.error(`There is no ${unknown.join(", ")}. Parts: ${PARTS.join(", ")}; flag: --quick.`);
    return 2;
  }
  const parts = new Set<string>(named.length === 0 ? PARTS : named);
  const place = new BenchPlace();
  const rows: Row[] = [];
  const show = (title: string, found: readonly Row[]): void => {
    printTable(title, found);
    rows.push(...found);
  };
  try {
    show("The loop at rest", [foreignBlockRow("nothing runs", await idleBlock(IDLE_MS))]);
    if (parts.has("planning")) {
      show("Planning a compaction", await planningRows(scale.plannedMessages, scale.rounds));
    }
    if (parts.has("opening")) {
      const sessions = [];
      for (const megabytes of scale.openedMegabytes) sessions.push(await place.create(megabytes));
      show("Opening sessions", await openingRows(place, sessions, scale.rounds));
    }
    if (parts.has("appending")) show("Appending", await appendingRows(place, scale.rounds));
    const { ages, compacted } = scale;
    const pairOf = async ([young, old]: readonly [number, number]): Promise<Ages> => [
      await place.create(young),
      await place.create(old),
    ];
    if (parts.has("growing")) {
      show("Growing old", await ageingRows(place, await pairOf(ages), scale.rounds));
      show("Runs over a long context", await runRows(place, await pairOf(compacted), scale.rounds));
    }
    if (parts.has("host")) {
      const sessions = [];
      for (const megabytes of scale.inHost.openedMegabytes) sessions.push(await place.create(megabytes));
      const { rounds, starts } = scale.inHost;
      const task = {
        placePath: place.path,
        sessions,
        ages: await pairOf(ages),
        compacted: await pairOf(compacted),
        rounds,
      };
      const measures = await measureInHost(task, starts);
      show("Activation in the extension host", measures.activation);
      show("Inside the extension host", measures.rows.map(inHost));
    }
  } finally {
    place.dispose();
  }
  console.log(`\n${verdict(rows)}`);
  return 0;
}

function inHost(row: Row): Row {
  return { ...row, measure: `host: ${row.measure}` };
}

function isPart(name: string): name is Part {
  return (PARTS as readonly string[]).includes(name);
}

function isUnknownFlag(arg: string): boolean {
  return arg.startsWith("--") && arg !== "--quick";
}
