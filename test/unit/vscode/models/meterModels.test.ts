import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { ChatModel } from "../../../../src/core/model.ts";
import type { LiveSession } from "../../../../src/engine/liveSession.ts";
import { MeterModels } from "../../../../src/vscode/models/meterModels.ts";
import { EventEmitter } from "../vscodeShim.ts";

function model(id: string, maxInputTokens: number): ChatModel {
  return {
    id,
    vendor: "a",
    name: id,
    limits: { maxInputTokens },
    stream: () => ({}) as AsyncIterable<never>,
  };
}

class Live {
  readonly given: (ChatModel | undefined)[] = [];
  meter: { modelId?: string };
  constructor(modelId: string | undefined) {
    this.meter = modelId === undefined ? {} : { modelId };
  }
  async setModel(given: ChatModel | undefined): Promise<void> {
    this.given.push(given);
  }
}

function world(live: Live, known: () => ChatModel | undefined) {
  const changed = new EventEmitter<void>();
  const active = new EventEmitter<LiveSession | undefined>();
  const errors: unknown[] = [];
  const meterModels = new MeterModels({
    models: { byId: async () => known(), onDidChange: changed.event },
    sessions: {
      current: undefined,
      onDidChangeActive: active.event,
      openSessions: async () => [live as unknown as LiveSession],
    },
    onError: (error) => errors.push(error),
  });
  return { changed, active, errors, meterModels, live: live as unknown as LiveSession };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the model of the meter", () => {
  it("is found again when a session becomes active", async () => {
    const live = new Live("a/one");
    const found = model("a/one", 8000);
    const { active, live: session } = world(live, () => found);
    active.fire(session);
    await settled();
    assert.deepEqual(live.given, [found]);
  });

  it("stays what the session knew while the model is not there, and is given when its extension has come up", async () => {
    const live = new Live("a/one");
    let known: ChatModel | undefined;
    const { active, changed, live: session } = world(live, () => known);
    active.fire(session);
    await settled();
    assert.deepEqual(live.given, []);
    known = model("a/one", 8000);
    changed.fire();
    await settled();
    assert.deepEqual(live.given, [known]);
  });

  it("follows changed limits", async () => {
    const live = new Live("a/one");
    let limit = 8000;
    const { changed } = world(live, () => model("a/one", limit));
    limit = 4000;
    changed.fire();
    await settled();
    assert.equal(live.given[0]?.limits.maxInputTokens, 4000);
  });

  it("is left alone where a chat went on with another one meanwhile, and where a session has none", async () => {
    const live = new Live("a/one");
    const { active, live: session } = world(live, () => {
      live.meter = { modelId: "b/two" };
      return model("a/one", 8000);
    });
    active.fire(session);
    await settled();
    assert.deepEqual(live.given, []);
    const without = new Live(undefined);
    const other = world(without, () => model("a/one", 8000));
    other.active.fire(other.live);
    await settled();
    assert.deepEqual(without.given, []);
  });

  it("listens no more once disposed", async () => {
    const live = new Live("a/one");
    const { changed, meterModels } = world(live, () => model("a/one", 8000));
    meterModels.dispose();
    changed.fire();
    await settled();
    assert.deepEqual(live.given, []);
  });
});
