import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "mocha";
import type { Message } from "../../../../src/core/messages.ts";
import { textOf } from "../../../../src/core/messages.ts";
import type { ModelChunk } from "../../../../src/core/model.ts";
import { ModelError } from "../../../../src/core/model.ts";
import { draftText, ScriptedModel } from "../../core/ladderWorld.ts";
import { assistant, calls, result, user } from "../../core/messageBuilders.ts";
import { CancellationTokenSource, workspace } from "../vscodeShim.ts";
import { Chat, ChatWorld } from "./chatWorld.ts";

const OUTPUT = "All 300 tests passed. ".repeat(400);

function workDay(turns = 4): Message[] {
  const messages: Message[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push(user(`u${turn}`, turn === 0 ? "Port the parser." : `Go on with step ${turn}.`));
    messages.push(
      calls(`c${turn}`, `call_${turn}`),
      result(`r${turn}`, `call_${turn}`, `${turn}: ${OUTPUT}`),
    );
    messages.push(assistant(`a${turn}`, `Step ${turn} is done. ${"It went as planned. ".repeat(40)}`));
  }
  return messages;
}

/** Answers in two pieces; asked for a summary it writes a draft. */
function talking(reply = ["Hello, ", "you."], maxInputTokens = 1_000_000): ScriptedModel {
  return new ScriptedModel(async function* (request): AsyncGenerator<ModelChunk> {
    const [first] = request.messages;
    if (first?.id === "summarize") yield { type: "text", text: draftText() };
    else for (const text of reply) yield { type: "text", text };
  }, maxInputTokens);
}

function failing(code: ConstructorParameters<typeof ModelError>[0], before = ""): ScriptedModel {
  return new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
    if (before !== "") yield { type: "text", text: before };
    throw new ModelError(code, "The words of the provider.");
  });
}

describe("a chat with @capsule", () => {
  let world: ChatWorld;
  let chat: Chat;
  beforeEach(() => {
    world = new ChatWorld();
    chat = new Chat(world);
  });
  afterEach(() => world.end());

  const transcript = async (sessionId: string): Promise<string[]> =>
    world.sessions.borrow(sessionId, async ({ context }) => context.transcript.map(textOf));

  describe("a message", () => {
    it("starts a session titled from it and streams the reply in its pieces", async () => {
      const shown = await chat.ask("How high is the water?", { model: talking() });
      assert.deepEqual(shown.pieces, ["Hello, ", "you."]);
      assert.equal(world.sessions.current?.meter.title, "How high is the water?");
      const sessionId = shown.metadata?.sessionId ?? "";
      assert.equal(world.sessions.current?.id, sessionId);
      assert.deepEqual(await transcript(sessionId), ["How high is the water?", "Hello, you."]);
      assert.equal(shown.metadata?.lastMessageId, world.sessions.current?.context.transcript[1]?.id);
    });

    it("goes on in the session of the chat, with its context and not the view's history", async () => {
      const model = talking();
      const first = await chat.ask("One", { model });
      const second = await chat.ask("Two", { model });
      assert.equal(second.metadata?.sessionId, first.metadata?.sessionId);
      assert.deepEqual(model.requests[1]?.messages.map(textOf), ["One", "Hello, you.", "Two"]);
      assert.equal((await world.store.list()).length, 1);
    });

    it("makes the chat's session the active one again", async () => {
      const first = await chat.ask("One", { model: talking() });
      await new Chat(world).ask("Another chat", { model: talking() });
      assert.notEqual(world.sessions.current?.id, first.metadata?.sessionId);
      await chat.ask("Two", { model: talking() });
      assert.equal(world.sessions.current?.id, first.metadata?.sessionId);
    });

    it("takes the session that Continue in Chat named, once", async () => {
      const id = await world.create(workDay(1));
      world.binding.bindNext(id);
      assert.equal((await chat.ask("Go on", { model: talking() })).metadata?.sessionId, id);
      const other = await new Chat(world).ask("Something else", { model: talking() });
      assert.notEqual(other.metadata?.sessionId, id);
    });

    it("starts a new session where the chat's was deleted, and says so", async () => {
      const first = await chat.ask("One", { model: talking() });
      await world.sessions.deactivate();
      await world.store.delete(first.metadata?.sessionId ?? "");
      const shown = await chat.ask("Two", { model: talking() });
      assert.match(
        shown.markdown,
        /^> The session of this chat was deleted, so a new one starts here\.\n\nHello/,
      );
      assert.notEqual(shown.metadata?.sessionId, first.metadata?.sessionId);
    });

    it("branches where an earlier request was edited, keeps the rest on the record, and says so", async () => {
      const model = talking();
      for (const prompt of ["One", "Two", "Three"]) await chat.ask(prompt, { model });
      chat.cutBefore(1);
      const shown = await chat.ask("Other two", { model });
      assert.match(shown.markdown, /^> This continues from message 2\. The 4 later messages stay/);
      assert.deepEqual(model.requests.at(-1)?.messages.map(textOf), ["One", "Hello, you.", "Other two"]);
      const { entries } = world.sessions.current?.file.state ?? assert.fail();
      const said = entries.flatMap((entry) => (entry.type === "message" ? [textOf(entry.message)] : []));
      assert.ok(said.includes("Two") && said.includes("Three"));
      assert.doesNotMatch((await chat.ask("And on", { model })).markdown, /continues from/);
    });

    it("branches behind a compaction that was made before the edited message", async () => {
      world.binding.bindNext(await world.create(workDay()));
      const model = talking();
      await chat.ask("", { command: "compact", model });
      await chat.ask("After", { model });
      chat.cutBefore(1);
      await chat.ask("Other", { model });
      assert.equal(world.sessions.current?.context.summary?.generation, 1);
    });

    it("says in words what the provider failed at, and keeps the message and what came of the reply", async () => {
      const shown = await chat.ask("One", { model: failing("authentication") });
      assert.match(
        shown.markdown,
        /did not accept the sign\\-in or key.*The words of the provider.*Your message is kept\. Check the sign-in/s,
      );
      const partly = await chat.ask("Two", { model: failing("network", "Half of ") });
      assert.match(
        partly.markdown,
        /^Half of \n\n\*\*The provider could not be reached.*what came of the reply are kept\. Wait a little/s,
      );
      assert.deepEqual(await transcript(partly.metadata?.sessionId ?? ""), ["One", "Two", "Half of "]);
    });

    it("says so where the reply is empty, and where the model wanted a tool", async () => {
      const empty = new ScriptedModel(async function* () {});
      assert.match((await chat.ask("One", { model: empty })).markdown, /sent an empty reply/);
      const calling = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
        yield { type: "tool-call", toolCallId: "1", toolName: "read_file", input: {} };
      });
      assert.match((await chat.ask("Two", { model: calling })).markdown, /asked for the tool `read_file`/);
    });

    it("keeps what came when it is cancelled, even of a model that never ends", async () => {
      const token = new CancellationTokenSource();
      const silent = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
        yield { type: "text", text: "Half" };
        await new Promise(() => {});
      });
      const shown = await chat.ask("One", { model: silent, token, onMarkdown: () => token.cancel() });
      assert.deepEqual(await transcript(shown.metadata?.sessionId ?? ""), ["One", "Half"]);
      assert.equal(
        (await chat.ask("Two", { model: talking() })).metadata?.sessionId,
        shown.metadata?.sessionId,
      );
    });

    it("sends nothing that does not fit, and says what to do", async () => {
      world.binding.bindNext(await world.create(workDay()));
      const small = talking(["never"], 2000);
      small.countTokens = async (text) => text.length / 4;
      const shown = await chat.ask("Go on", { model: small });
      assert.equal(small.requests.length, 0);
      assert.match(
        shown.markdown,
        /\*\*Nothing was sent:\*\* the context has [\d,]+ tokens, and 2,000 is the most/,
      );
    });

    it("says that tools are not offered", async () => {
      const shown = await chat.ask("One", { model: talking(), tools: ["search", "read"] });
      assert.match(
        shown.markdown,
        /^> Tools are not offered in this version, so the message went without `#search`, `#read`\./,
      );
    });

    it("carries attachments before the question, once while they say the same", async () => {
      Object.assign(workspace, { textDocuments: [] });
      const model = talking();
      const paste = { id: "paste", modelDescription: "notes", value: "Water: 3 m" };
      await chat.ask("One", { model, references: [paste] });
      await chat.ask("Two", { model, references: [paste] });
      await chat.ask("Three", { model, references: [{ ...paste, value: "Water: 4 m" }] });
      await chat.ask("Four", { model, references: [paste] });
      assert.deepEqual(model.requests[3]?.messages.filter(({ role }) => role === "user").map(textOf), [
        "Attached text: notes\n\nWater: 3 m",
        "One",
        "Two",
        "Attached text: notes\n\nWater: 4 m",
        "Three",
        "Attached text: notes\n\nWater: 3 m",
        "Four",
      ]);
      assert.equal(model.requests[0]?.messages[0]?.kind, "attachment");
    });

    it("answers in one chat at a time", async () => {
      const id = await world.create(workDay(1));
      const gate = { open: () => {} };
      const waiting = new ScriptedModel(async function* (): AsyncGenerator<ModelChunk> {
        yield { type: "text", text: "Half" };
        await new Promise<void>((resolve) => {
          gate.open = resolve;
        });
        yield { type: "text", text: " and half" };
      });
      world.binding.bindNext(id);
      let other: Promise<{ markdown: string }> | undefined;
      await chat.ask("One", {
        model: waiting,
        onMarkdown: () => {
          if (other !== undefined) return;
          world.binding.bindNext(id);
          other = new Chat(world).ask("Two", { model: talking() }).finally(() => gate.open());
        },
      });
      assert.match((await other)?.markdown ?? "", /answering in another chat/);
      assert.deepEqual((await transcript(id)).slice(-2), ["One", "Half and half"]);
    });

    it("ends with a sentence and its binding where the session cannot be written", async () => {
      const first = await chat.ask("One", { model: talking() });
      const { file } = world.sessions.current ?? assert.fail();
      const append = file.append.bind(file);
      Object.assign(file, {
        append: async () =>
          Promise.reject(Object.assign(new Error("full"), { name: "SessionError", code: "disk_full" })),
      });
      const shown = await chat.ask("Two", { model: talking() });
      assert.match(shown.markdown, /The disk is full; nothing was changed/);
      assert.deepEqual(shown.metadata, first.metadata);
      assert.equal(world.errors.length, 1);
      Object.assign(file, { append });
      assert.equal(
        (await chat.ask("Three", { model: talking() })).metadata?.sessionId,
        first.metadata?.sessionId,
      );
    });

    it("explains itself where nothing was typed", async () => {
      const shown = await chat.ask("  ");
      assert.match(shown.markdown, /`\/compact` compacts now/);
      assert.equal(shown.metadata, undefined);
    });
  });

  describe("window pressure", () => {
    const overLine = async (): Promise<ScriptedModel> => {
      world.binding.bindNext(await world.create(workDay(6)));
      const model = talking(["Hello."], 16_000);
      model.countTokens = async (text) => Math.ceil(text.length / 4);
      return model;
    };

    it("compacts before the reply where it may, and says so in words that stay, with a way back", async () => {
      world.settings = { ...world.settings, automatic: "on" };
      const model = await overLine();
      world.automaticSummarizer = model;
      const shown = await chat.ask("Go on", { model });
      assert.match(shown.markdown, /^> Compacted from .*`@capsule \/undo` takes it back\.\n\nHello\./s);
      assert.deepEqual(shown.buttons[0]?.command, "contextCapsule.undo");
      assert.ok(shown.progress.length > 0);
      assert.equal(shown.metadata?.offer, "context");
    });

    it("uses the offline summarizer where no vendor has worked yet", async () => {
      world.settings = { ...world.settings, automatic: "on" };
      const model = await overLine();
      // Talk alone, so that eviction does not do.
      world.binding.bindNext(
        await world.create(
          ["u", "v", "w"].flatMap((id) => [
            user(id, `Go on with ${id}.`),
            assistant(`a${id}`, OUTPUT.repeat(3)),
          ]),
        ),
      );
      const shown = await chat.ask("Go on", { model });
      assert.match(shown.markdown, /^> Compacted from .* Written by Offline Summarizer\./);
      assert.equal(model.requests.length, 1);
    });

    it("asks first, and without a yes it does nothing but offer /compact", async () => {
      world.settings = { ...world.settings, automatic: "ask" };
      const model = await overLine();
      const shown = await chat.ask("Go on", { model });
      assert.equal(shown.markdown, "Hello.");
      assert.equal(shown.metadata?.offer, "compact");
      world.mayCompact = true;
      world.automaticSummarizer = model;
      assert.match((await chat.ask("And on", { model })).markdown, /^> Compacted/);
    });
  });

  describe("a command", () => {
    it("/compact works on the active session where the chat has none, and binds the chat to it", async () => {
      const id = await world.create(workDay());
      await world.sessions.activate(id);
      const shown = await chat.ask("the parser", { command: "compact", model: talking() });
      assert.match(
        shown.markdown,
        /Compacted from .* Written by Scripted\. `@capsule \/undo` takes it back\./,
      );
      assert.equal(shown.metadata?.sessionId, id);
      assert.equal(shown.metadata?.lastMessageId, "a3");
      const after = await chat.ask("Go on", { model: talking() });
      assert.equal(after.metadata?.sessionId, id);
      assert.doesNotMatch(after.markdown, /continues from/);
    });

    it("/compact with the offline summarizer needs no model, and leaves the session's own", async () => {
      const id = await world.create(workDay());
      await world.sessions.activate(id);
      const shown = await chat.ask("", { command: "compact" });
      assert.match(shown.markdown, /Compacted from .* Written by Offline Summarizer\./);
      assert.equal(world.sessions.current?.meter.modelId, undefined);
    });

    it("/compact that fails says how, with the one next step, and nothing was changed", async () => {
      const talk = workDay(6).filter(({ id }) => /^[ua]/.test(id));
      await world.sessions.activate(await world.create(talk));
      const shown = await chat.ask("", { command: "compact", model: failing("rate") });
      assert.match(shown.markdown, /provider.*slow down.*The words of the provider/is);
      assert.doesNotMatch(shown.markdown, /Compacted/);
      assert.equal(shown.buttons.length, 1);
      assert.equal(world.sessions.current?.context.messages.length, talk.length);
    });

    it("/undo takes back one compaction at a time and says what is left", async () => {
      const id = await world.create(workDay());
      await world.sessions.activate(id);
      await chat.ask("", { command: "compact", model: talking() });
      assert.match(
        (await chat.ask("", { command: "undo" })).markdown,
        /^Taken back.*The context has about [\d,]+ tokens now\.$/m,
      );
      assert.match((await chat.ask("", { command: "undo" })).markdown, /There is no compaction to take back/);
    });

    it("/context tells the numbers, their basis and what the context is made of", async () => {
      const id = await world.create(workDay());
      await world.sessions.activate(id);
      const model = talking([""], 16_000);
      model.countTokens = async (text) => Math.ceil(text.length / 4);
      const { markdown } = await chat.ask("", { command: "context", model });
      assert.match(markdown, /\*\*A long day\*\* — Scripted/);
      assert.match(
        markdown,
        /- Used: \*\*\d+%\*\*, [\d,]+ of 16,000 tokens\n- Counted by the provider's own tokenizer\./,
      );
      assert.match(markdown, /- Trigger line: 12,000/);
      assert.match(markdown, /\| Tool results \| [\d.]+k \| \d+% \|/);
      assert.doesNotMatch(markdown, /\$\(/, "two dollar signs make a formula in the Chat view");
    });

    it("/new starts a session with that title and binds the chat to it", async () => {
      await chat.ask("One", { model: talking() });
      const shown = await chat.ask("The *other* matter", { command: "new" });
      assert.match(shown.markdown, /New session: \*\*The \\\*other\\\* matter\*\*/);
      assert.deepEqual(shown.metadata?.lastMessageId, null);
      const next = await chat.ask("Two", { model: talking() });
      assert.deepEqual(await transcript(next.metadata?.sessionId ?? ""), ["Two", "Hello, you."]);
    });

    it("says what to do where there is no session at all", async () => {
      for (const command of ["compact", "context", "undo"]) {
        const shown = await chat.ask("", { command });
        assert.match(shown.markdown, /There is no session yet/);
        assert.equal(shown.metadata, undefined);
      }
    });
  });
});
