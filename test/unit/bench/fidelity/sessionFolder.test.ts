import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canarySession } from "../../../bench/fidelity/canarySession.mts";
import { readSessionFolder, writeSessionFolder } from "../../../bench/fidelity/sessionFolder.mts";

const RULE = "Never push to main.";
const statement = { id: "rule", type: "safety_rule", text: RULE, values: ["push to main"] };

describe("a folder of sessions", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "fidelity-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const expect = (expected: unknown): Promise<void> =>
    writeFile(join(folder, "expected.json"), JSON.stringify(expected));

  it("gives back what was written", async () => {
    const sessions = [canarySession(1), canarySession(2)];
    await writeSessionFolder(folder, sessions);
    const read = await readSessionFolder(folder);
    assert.deepEqual(
      read.map(({ rounds, statements }) => ({ rounds, statements })),
      sessions.map(({ rounds, statements }) => ({ rounds, statements })),
    );
  });

  it("takes session files of other agents, in five rounds of whole turns", async () => {
    const messages = Array.from({ length: 20 }, (_, at) => [
      { role: "user", content: at === 3 ? RULE : `Step ${at}.` },
      { role: "assistant", content: "Done." },
    ]).flat();
    await writeFile(join(folder, "chat.json"), JSON.stringify({ messages }));
    await expect({ sessions: [{ file: "chat.json", statements: [statement] }] });
    const [session] = await readSessionFolder(folder);
    assert.deepEqual(
      session?.rounds.map((round) => round.length),
      [24, 4, 4, 4, 4],
    );
    assert.ok(session?.rounds.every(([first]) => first?.role === "user"));
    assert.equal(session?.statements[0]?.round, 1);
  });

  const faults: [name: string, expected: unknown, says: RegExp][] = [
    ["no session", { sessions: [] }, /expected\.json does not have its shape/],
    ["an unknown field", { sessions: [{ file: "a.json", says: [], statements: [statement] }] }, /shape/],
    [
      "a file that is missing",
      { sessions: [{ file: "b.json", statements: [statement] }] },
      /b\.json cannot be read/,
    ],
    [
      "words that nobody says",
      {
        sessions: [
          { file: "a.json", statements: [{ ...statement, text: "Push to main.", values: ["Push"] }] },
        ],
      },
      /no user message says the statement "rule"/,
    ],
    [
      "values that are not in the words",
      { sessions: [{ file: "a.json", statements: [{ ...statement, values: ["other"] }] }] },
      /"rule" needs values that stand in its text/,
    ],
    [
      "a twin that is none",
      { sessions: [{ file: "a.json", statements: [{ ...statement, twin: "x" }] }] },
      /"rule" has no twin "x"/,
    ],
    [
      "a round that ends nowhere",
      { sessions: [{ file: "a.json", roundEnds: ["m9"], statements: [statement] }] },
      /"m9" ends no round/,
    ],
  ];
  for (const [name, expected, says] of faults) {
    it(`says what is wrong with ${name}`, async () => {
      const messages = [{ id: "m1", role: "user", content: [{ type: "text", text: RULE }] }];
      await writeFile(join(folder, "a.json"), JSON.stringify({ messages }));
      await expect(expected);
      await assert.rejects(readSessionFolder(folder), says);
    });
  }

  it("says that the folder needs an expected.json", async () => {
    await assert.rejects(readSessionFolder(folder), /There is no .*expected\.json/);
  });
});
