import assert from "node:assert/strict";
import { canarySession } from "../../../bench/fidelity/canarySession.mts";
import { goals, tableLines } from "../../../bench/fidelity/fidelityTable.mts";
import { ladder } from "../../../bench/fidelity/ladder.mts";
import type { Measured } from "../../../bench/fidelity/measure.mts";
import { measure } from "../../../bench/fidelity/measure.mts";
import { summaryAndTail } from "../../../bench/fidelity/plainCompactors.mts";
import type { RoundScore, Share } from "../../../bench/fidelity/score.mts";
import { SCRIPTS } from "../../../bench/fidelity/scriptedAnswers.mts";

const BUDGET = 0.2;
const SEED_NOT_PUBLISHED = 77;

describe("our ladder in the fidelity bench, a seed that is not published", function () {
  this.timeout(60_000);
  const sessions = [canarySession(SEED_NOT_PUBLISHED)];
  const lastOf = ({ sessions: [scores] }: Measured) => scores?.at(-1);
  const isAll = (share: Share | undefined) =>
    share !== undefined && share.whole > 0 && share.part === share.whole;

  it("reaches its goals with every kind of answers", async () => {
    const measured: Measured[] = [];
    for (const script of [...SCRIPTS, "offline" as const]) {
      measured.push(await measure(ladder(script), sessions, BUDGET));
    }
    for (const { name, met, told } of goals(measured)) assert.ok(met, `${name}: ${told}`);
    assert.equal(tableLines(measured).length, measured.length + 2);
  });

  it("keeps what was committed once, where a believed summary loses it", async () => {
    const ours = lastOf(await measure(ladder("drifting"), sessions, BUDGET));
    const plain = lastOf(await measure(summaryAndTail("drifting"), sessions, BUDGET));
    assert.ok(ours !== undefined && ours.survival.part >= ours.survival.whole - 2);
    assert.equal(plain?.survival.part, 0);
  });

  it("makes no policy of what is invented, where a believed summary does", async () => {
    const ours = lastOf(await measure(ladder("inventing"), sessions, BUDGET));
    const plain = lastOf(await measure(summaryAndTail("inventing"), sessions, BUDGET));
    assert.equal(ours?.foreignPolicy, 0);
    assert.ok(isAll(ours?.survival));
    assert.ok((plain?.foreignPolicy ?? 0) > 0);
  });

  it("accepts no empty answer: what is accepted then is eviction alone", async () => {
    const { sessions: scored } = await measure(ladder("empty"), sessions, BUDGET);
    for (const { verdict, reason } of scored.flat())
      if (verdict === "accepted") assert.match(reason, /^evicted /);
  });

  it("stops where nothing can fit, and that is counted as right", async () => {
    const { sessions: scored } = await measure(ladder("perfect"), sessions, 0.01);
    assert.deepEqual([...new Set(scored.flat().map(({ verdict }) => verdict))], ["stopped"]);
  });

  it("holds an old value beside the new one in quotes alone, which its table counts in a column of their own", async () => {
    for (const script of ["perfect", "offline"] as const) {
      const row = await measure(ladder(script), sessions, BUDGET);
      const total = (where: keyof RoundScore["stale"]) =>
        row.sessions.flat().reduce((sum, { stale }) => sum + stale[where], 0);
      assert.equal(total("written"), 0);
      assert.ok(total("quoted") > 0);
      const [head = "", , cells = ""] = tableLines([row], ["stale written", "stale quoted"]);
      assert.match(head, /^\| stale written +\| stale quoted +\|$/);
      assert.match(cells, new RegExp(`^\\| 0 +\\| ${total("quoted")} +\\|$`));
    }
  });

  it("a goal that is missed is told", async () => {
    const row = await measure(ladder("perfect"), sessions, BUDGET);
    const spoilt = row.sessions.map((scores) =>
      scores.map((score) => ({
        ...score,
        foreignPolicy: 1,
        stale: { ...score.stale, written: 1 },
        commitments: { part: 0, whole: 1 },
        twins: { part: 0, whole: 1 },
      })),
    );
    const missed = goals([{ ...row, sessions: spoilt }]).filter(({ met }) => !met);
    assert.equal(missed.length, 4);
    const refused = row.sessions.map((scores) =>
      scores.map((score) => ({ ...score, isAccepted: false, verdict: "refused" as const })),
    );
    assert.equal(goals([{ ...row, sessions: refused }]).filter(({ met }) => !met).length, 1);
  });
});
