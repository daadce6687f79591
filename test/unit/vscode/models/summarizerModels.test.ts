import assert from "node:assert/strict";
import { beforeEach, describe, it } from "mocha";
import type { ChatModel } from "../../../../src/core/model.ts";
import { OFFLINE_MODEL_ID } from "../../../../src/models/offline/offlineModelId.ts";
import { pickSessionModel } from "../../../../src/vscode/models/sessionModel.ts";
import { SummarizerModels } from "../../../../src/vscode/models/summarizerModels.ts";
import { calm } from "../meterReadings.ts";
import { answers, resetWindow, shown } from "../vscodeShim.ts";

function model(id: string): ChatModel {
  const [vendor = ""] = id.split("/");
  return { id, vendor, name: id, limits: {}, stream: () => ({}) as AsyncIterable<never> };
}

const offline = model(OFFLINE_MODEL_ID);

function choice(options: { known?: string[]; worked?: string[]; setting?: string } = {}) {
  const known = (options.known ?? []).map(model);
  const settings = {
    summarizer: options.setting ?? "",
    async setSummarizer(id: string) {
      settings.summarizer = id;
    },
  };
  const models = {
    list: async () => [...known, offline],
    byId: async (id: string) => [...known, offline].find((one) => one.id === id),
    offline: async () => offline,
    hasWorked: (vendor: string) => vendor === offline.vendor || (options.worked ?? []).includes(vendor),
  };
  return { settings, summarizer: new SummarizerModels(models, settings) };
}

describe("who writes the capsule", () => {
  beforeEach(resetWindow);

  it("is the setting's model before the chat's own", async () => {
    const { summarizer } = choice({ known: ["a/one", "b/two"], setting: "b/two" });
    assert.equal((await summarizer.choose(true, "a/one"))?.id, "b/two");
  });

  it("is the chat's own model where the setting names none", async () => {
    const { summarizer } = choice({ known: ["a/one"] });
    assert.equal((await summarizer.choose(true, "a/one"))?.id, "a/one");
  });

  it("is the offline summarizer where a session has no model, or one that is gone", async () => {
    const { summarizer } = choice({ known: ["a/one"] });
    assert.equal(await summarizer.choose(true), offline);
    assert.equal(await summarizer.choose(true, "a/gone"), offline);
    assert.equal(await summarizer.choose(false), offline);
  });

  it("is, in a run that nobody started, only a model of a vendor that has answered", async () => {
    const { summarizer } = choice({ known: ["a/one", "b/two"], worked: ["b"] });
    assert.equal(await summarizer.choose(false, "a/one"), undefined);
    assert.equal((await summarizer.choose(false, "b/two"))?.id, "b/two");
    assert.equal((await summarizer.choose(true, "a/one"))?.id, "a/one");
  });

  it("asks nothing in a run that nobody started, whatever the setting says", async () => {
    const { summarizer } = choice({ setting: "b/gone" });
    assert.equal(await summarizer.choose(false, "a/one"), undefined);
    assert.deepEqual(shown.messages, []);
  });

  it("is foreseen as Compact Now would take it, whether its vendor answered before or not, and nothing is asked", async () => {
    const { summarizer } = choice({ known: ["a/one", "b/two"] });
    assert.equal((await summarizer.foresee("a/one"))?.id, "a/one");
    assert.equal(await summarizer.foresee("a/gone"), offline);
    assert.equal(
      (await choice({ known: ["b/two"], setting: "b/two" }).summarizer.foresee("a/one"))?.id,
      "b/two",
    );
    assert.equal(await choice({ setting: "b/gone" }).summarizer.foresee("a/one"), undefined);
    assert.deepEqual(shown.messages, []);
  });

  it("asks the person where the setting's model is gone: offline once, another, or nothing", async () => {
    const { summarizer, settings } = choice({ known: ["a/one"], setting: "b/gone" });
    const once = summarizer.choose(true);
    await later();
    await shown.messages[0]?.answer("Use Offline Summarizer Once");
    assert.equal(await once, offline);
    assert.equal(settings.summarizer, "b/gone");

    answers.picks.push(1);
    const another = summarizer.choose(true);
    await later();
    await shown.messages[1]?.answer("Choose Summarizer…");
    assert.equal((await another)?.id, "a/one");
    assert.equal(settings.summarizer, "a/one");

    settings.summarizer = "b/gone";
    const nothing = summarizer.choose(true);
    await later();
    await shown.messages[2]?.answer(undefined);
    assert.equal(await nothing, undefined);
  });

  it("is remembered in the setting when it is picked; dismissed, nothing changes", async () => {
    const { summarizer, settings } = choice({ known: ["a/one"], setting: "a/one" });
    answers.picks.push(undefined, 0);
    assert.equal(await summarizer.pick(), false);
    assert.equal(settings.summarizer, "a/one");
    assert.equal(await summarizer.pick(), true);
    assert.equal(settings.summarizer, "");
  });
});

const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the model that a session is measured against", () => {
  beforeEach(resetWindow);

  const sized = (id: string): ChatModel => ({ ...model(id), limits: { maxInputTokens: 8000 } });
  const known = { list: async () => [sized("a/one"), offline], byId: async (id: string) => sized(id) };
  const session = () => {
    const given: unknown[] = [];
    return { given, live: { meter: calm, setModel: async (chosen: unknown) => void given.push(chosen) } };
  };

  it("is picked from all but the offline one, and given to the session", async () => {
    const { given, live } = session();
    answers.picks.push(0);
    assert.equal(await pickSessionModel(live, known), true);
    assert.equal((given[0] as ChatModel).id, "a/one");
  });

  it("stays when the list is dismissed, and where there is nothing to pick", async () => {
    const { given, live } = session();
    answers.picks.push(undefined, 0);
    assert.equal(await pickSessionModel(live, known), false);
    assert.equal(await pickSessionModel(live, { ...known, list: async () => [offline] }), false);
    assert.match(shown.messages[0]?.text ?? "", /No language model is installed/);
    assert.deepEqual(given, []);
  });
});
