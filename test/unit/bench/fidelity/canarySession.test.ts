import assert from "node:assert/strict";
import { canarySession, PUBLISHED_SEEDS, ROUNDS } from "../../../bench/fidelity/canarySession.mts";
import { wordsOf } from "../../../bench/fidelity/compactor.mts";
import { currentStatements, STATEMENT_TYPES } from "../../../bench/fidelity/fidelitySession.mts";

describe("the generated sessions", () => {
  it("are the same for a seed and differ between seeds", () => {
    assert.deepEqual(canarySession(1), canarySession(1));
    assert.notDeepEqual(canarySession(1).statements, canarySession(2).statements);
  });

  for (const seed of PUBLISHED_SEEDS) {
    it(`seed ${seed}: 20 canaries, four of each type, in about 127 messages of talk, and five rounds`, () => {
      const session = canarySession(seed);
      const canaries = currentStatements(session, 1).filter(({ isExtra }) => isExtra !== true);
      assert.equal(canaries.length, 20);
      for (const type of STATEMENT_TYPES) {
        assert.equal(canaries.filter((canary) => canary.type === type).length, 4);
      }
      const [first = []] = session.rounds;
      const talk = first.filter(({ content }) => content.some(({ type }) => type === "text"));
      assert.ok(Math.abs(talk.length - 127) <= 10, String(talk.length));
      assert.equal(session.rounds.length, ROUNDS);
    });

    it(`seed ${seed}: no message holds a value but those that state it`, () => {
      const session = canarySession(seed);
      for (const { values } of session.statements) {
        for (const value of values) {
          const stated = new Set(
            session.statements.filter((one) => one.values.includes(value)).map(({ messageId }) => messageId),
          );
          for (const message of session.rounds.flat()) {
            assert.equal(
              wordsOf(message).toLowerCase().includes(value.toLowerCase()),
              stated.has(message.id),
              value,
            );
          }
        }
      }
    });
  }

  it("every call has its result, and later rounds bring updates, a retraction and words of tools", () => {
    const { rounds, statements } = canarySession(1);
    const parts = rounds.flat().flatMap(({ content }) => content);
    const ids = (type: string) =>
      parts.flatMap((part) => (part.type === type && "toolCallId" in part ? [part.toolCallId] : []));
    assert.deepEqual(ids("tool-call"), ids("tool-result"));
    const sources = new Set(statements.map(({ by }) => by));
    assert.deepEqual([...sources].sort(), ["assistant", "attachment", "quoted", "tool", "user"]);
    assert.equal(statements.filter(({ retracts }) => retracts === true).length, 1);
  });
});
