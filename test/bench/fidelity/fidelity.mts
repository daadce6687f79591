/**
 * `npm run bench:fidelity`: what compactions keep, ours beside others', in one table. Offline and the same each time; only
 * the packages of others are fetched, once.
 *
 *     npm run bench:fidelity                       the published seeds at 10, 20 and 30 %
 *     npm run bench:fidelity -- --sessions DIR     any folder of sessions with an expected.json
 *     npm run bench:fidelity -- --budgets 20       only these budgets, in percent of the session
 *     npm run bench:fidelity -- --seeds 7,8        other seeds
 *     npm run bench:fidelity -- --without-tools    talk alone: small sessions, where stopping is often right
 *     npm run bench:fidelity -- --no-peers         without the packages of others
 *     npm run bench:fidelity -- --only perfect     rows whose name or answers hold this
 *     npm run bench:fidelity -- --short            fewer columns, as the README shows them
 *
 * The sessions and all results of the last run lie in .cache/fidelity. Ends with 1 when our ladder misses a goal.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { end, endCleanly } from "../../host/endings.mts";
import { cacheFolder } from "../../host/project.mts";
import { canarySession, PUBLISHED_SEEDS } from "./canarySession.mts";
import type { FidelitySession } from "./fidelitySession.mts";
import { goals, LEGEND, SHORT_HEADINGS, tableLines } from "./fidelityTable.mts";
import type { Measured } from "./measure.mts";
import { BUDGET_SHARES, compactors, measure } from "./measure.mts";
import { loadPeerPackages } from "./peerPackages.mts";
import { readSessionFolder, writeSessionFolder } from "./sessionFolder.mts";

const KEPT = join(cacheFolder, "fidelity");

endCleanly();
await end(await main());

async function main(): Promise<number> {
  try {
    return await run();
  } catch (error) {
    console.error((error as Error).message);
    return 2;
  }
}

async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      sessions: { type: "string" },
      budgets: { type: "string" },
      seeds: { type: "string" },
      only: { type: "string" },
      "no-peers": { type: "boolean" },
      "without-tools": { type: "boolean" },
      short: { type: "boolean" },
    },
  });
  const shares = numbers("--budgets", values.budgets)?.map((budget) => budget / 100) ?? BUDGET_SHARES;
  const seeds = numbers("--seeds", values.seeds) ?? PUBLISHED_SEEDS;
  const tools = values["without-tools"] !== true;
  const sessions = await (values.sessions === undefined
    ? generated(seeds, tools)
    : readSessionFolder(values.sessions));
  const peers = values["no-peers"] === true ? undefined : await loadPeerPackages();
  const wanted = values.only?.toLowerCase() ?? "";
  const chosen = compactors(peers).filter(({ name, script = "" }) =>
    `${name} ${script}`.toLowerCase().includes(wanted),
  );
  const measured: Measured[] = [];
  for (const share of shares) {
    for (const compactor of chosen) measured.push(await measure(compactor, sessions, share));
  }
  console.log(`${sessions.length} sessions: ${sessions.map(({ id }) => id).join(", ")}\n`);
  console.log(tableLines(measured, ...(values.short === true ? [SHORT_HEADINGS] : [])).join("\n"));
  console.log(`\n${LEGEND.join("\n")}\n`);
  await writeFile(join(KEPT, "results.json"), JSON.stringify(measured, undefined, 1));
  const reached = goals(measured);
  for (const { name, met, told } of reached) console.log(`${met ? "met    " : "NOT MET"} ${name}: ${told}`);
  return reached.every(({ met }) => met) ? 0 : 1;
}

/** Kept as files and read back, so that a folder of one's own takes the same way. */
async function generated(seeds: readonly number[], tools: boolean): Promise<FidelitySession[]> {
  const folder = join(KEPT, tools ? "sessions" : "talk");
  await writeSessionFolder(
    folder,
    seeds.map((seed) => canarySession(seed, { tools })),
  );
  return readSessionFolder(folder);
}

function numbers(flag: string, text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  const found = text.split(",").map(Number);
  if (found.every((number) => Number.isFinite(number) && number > 0)) return found;
  throw new Error(`${flag} is "${text}"; give numbers above 0 with commas between them, such as 10,20.`);
}
