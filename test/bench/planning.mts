/** Planning a compaction, beside what others do on the same transcripts. */
import { indexContext } from "../../src/core/contextIndex.ts";
import type { Message } from "../../src/core/messages.ts";
import { planCompaction } from "../../src/core/planCompaction.ts";
import { DEFAULT_KEEP_RECENT_TOKENS, defaultPolicy } from "../../src/core/policy.ts";
import { useNodePrimitives } from "../../src/vscode/nodePrimitives.ts";
import { asModelMessages, asPiEntries, loadPeers } from "./peers.mts";
import { transcriptOf } from "./seededTranscript.mts";
import type { Row } from "./table.mts";
import { limitRow, MOST_GROWTH_RATIO, ratioRow } from "./table.mts";
import { interleaved, perCall } from "./timing.mts";

const MOST_PLAN_MS = 1;
const PLANS_IN_A_ROW = 200;
/** Ours must be the faster one. */
const MOST_OF_A_PEER = 1;
const WINDOW = 200_000;

export async function planningRows(counts: readonly number[], rounds: number): Promise<Row[]> {
  useNodePrimitives();
  const peers = await loadPeers();
  const rows: Row[] = [];
  for (const count of counts) {
    const messages = transcriptOf(count);
    const index = indexContext(messages);
    const options = { policy: defaultPolicy, trigger: "manual", window: WINDOW } as const;
    const forAi = asModelMessages(messages);
    const forPi = asPiEntries(messages);
    const ms = await interleaved(rounds, {
      plan: () => perCall(PLANS_IN_A_ROW, () => planCompaction(messages, { ...options, index })),
      fromNothing: () => perCall(1, () => planCompaction(messages, options)),
      prune: () => perCall(1, () => peers?.prune(forAi)),
      findCut: () => perCall(1, () => peers?.findCut(forPi, DEFAULT_KEEP_RECENT_TOKENS)),
      prepare: () => perCall(1, () => peers?.prepare(forPi, DEFAULT_KEEP_RECENT_TOKENS)),
    });
    const name = `${count / 1000}k messages`;
    rows.push(
      limitRow({ measure: `plan, ${name}, estimates summed`, ms: ms.plan, mostMs: MOST_PLAN_MS }),
      limitRow({ measure: `plan, ${name}, with estimating all`, ms: ms.fromNothing, mostMs: undefined }),
    );
    if (peers === undefined) continue;
    const beside = (reference: string, referenceMs: number): Row =>
      ratioRow({ measure: `plan, ${name}`, ms: ms.plan, reference, referenceMs, most: MOST_OF_A_PEER });
    rows.push(
      beside("pruneMessages of ai", ms.prune),
      beside("findCutPoint of pi", ms.findCut),
      beside("prepareCompaction of pi", ms.prepare),
    );
  }
  return [...rows, await growthRow(counts.at(-1) ?? 0, rounds)];
}

/** Everything from nothing: n messages against 2n. */
async function growthRow(most: number, rounds: number): Promise<Row> {
  const all = transcriptOf(most);
  const half = all.slice(0, all.length >> 1);
  const plan = (messages: readonly Message[]) => () =>
    perCall(1, () => planCompaction(messages, { policy: defaultPolicy, trigger: "manual", window: WINDOW }));
  const ms = await interleaved(rounds, { half: plan(half), all: plan(all) });
  return ratioRow({
    measure: `plan with estimating all, ${most / 1000}k messages`,
    ms: ms.all,
    reference: `for half of them`,
    referenceMs: ms.half,
    most: MOST_GROWTH_RATIO,
  });
}
