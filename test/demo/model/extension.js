/** Registers the scripted models, and puts the sample session into a demo workspace that has none yet. */
const { appendFileSync } = require("node:fs");
const vscode = require("vscode");
const { behaviours } = require("./behaviours.js");
const { chatReply } = require("./chatReply.js");
const { importSample } = require("./importSample.js");
const { countTokens, demoModels, modelInformation } = require("./models.js");
const { isSummaryRequest, readRequest } = require("./readRequest.js");

const VENDOR = "context-capsule-demo";
const SETTING = "contextCapsuleDemo.behaviourModels";
/** Each request is appended to this file as one JSON line, for tests that watch from outside. */
const LOG_VARIABLE = "CONTEXT_CAPSULE_DEMO_LOG";
const PIECE_CHARACTERS = 24;
const PIECE_MS = 15;

/**
 * @typedef {{ modelId: string, kind: "summary" | "chat", text: string, messages: number, tools: string[],
 *   justification?: string }} SeenRequest
 */

exports.activate = (context) => {
  /** @type {SeenRequest[]} */
  const requests = [];
  const gate = new vscode.EventEmitter();
  const changed = new vscode.EventEmitter();
  const provider = {
    onDidChangeLanguageModelChatInformation: changed.event,
    provideLanguageModelChatInformation: () => offered().map(modelInformation),
    provideTokenCount: async (model, text) => {
      const plain = typeof text === "string" ? text : textOf(text);
      return (behaviourOf(model.id).countTokens ?? countTokens)(plain);
    },
    provideLanguageModelChatResponse: async (model, messages, options, progress, token) => {
      const whole = messages.map(textOf).join("\n");
      const isSummary = isSummaryRequest(textOf(messages.at(-1)));
      note({
        modelId: model.id,
        kind: isSummary ? "summary" : "chat",
        text: whole,
        messages: messages.length,
        tools: (options.tools ?? []).map(({ name }) => name),
      });
      const behaviour = behaviourOf(model.id);
      const reply = replyOf({ whole, progress, token, gate: gate.event });
      if (isSummary || behaviour.always) await behaviour.answer(reply);
      else await chat(model, messages, reply);
      if (behaviour.reportsUsage && !token.isCancellationRequested)
        reply.data("usage", usageOf(whole, reply.written()));
    },
  };
  context.subscriptions.push(
    gate,
    changed,
    vscode.lm.registerLanguageModelChatProvider(VENDOR, provider),
    vscode.commands.registerCommand("contextCapsuleDemo.release", () => gate.fire(undefined)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SETTING)) changed.fire(undefined);
    }),
  );
  const imported = importSample(context);
  imported.catch((error) => console.error("Demo Model: the sample session could not be imported.", error));
  return {
    /** Requests seen so far, oldest first. */
    requests: () => [...requests],
    clear: () => requests.splice(0),
    /** Lets every waiting request of the model "gated" answer. */
    release: () => gate.fire(undefined),
    imported,
  };

  /** @param {SeenRequest} request */
  function note(request) {
    requests.push(request);
    const file = process.env[LOG_VARIABLE];
    if (file) appendFileSync(file, `${JSON.stringify(request)}\n`);
  }
};

function offered() {
  return demoModels(vscode.workspace.getConfiguration().get(SETTING, false));
}

function behaviourOf(modelId) {
  const model = demoModels(true).find(({ id }) => id === modelId);
  return behaviours[model?.behaviour ?? "good"];
}

/** What a behaviour works with. */
function replyOf({ whole, progress, token, gate }) {
  let written = "";
  return {
    request: readRequest(whole),
    written: () => written,
    text: (text) => {
      written += text;
      progress.report(new vscode.LanguageModelTextPart(text));
    },
    data: (mimeType, value) =>
      progress.report(
        new vscode.LanguageModelDataPart(new TextEncoder().encode(JSON.stringify(value)), mimeType),
      ),
    toolCall: (name, input) =>
      progress.report(new vscode.LanguageModelToolCallPart("call_demo_1", name, input)),
    refuse: (code) => {
      throw vscode.LanguageModelError[code](`Scripted refusal: ${code}.`);
    },
    /** True after the time, false at once when cancelled. */
    wait: (ms) =>
      unlessCancelled(token, (done) => {
        const timer = setTimeout(() => done(), ms);
        return { dispose: () => clearTimeout(timer) };
      }),
    gate: () => unlessCancelled(token, (done) => gate(done)),
  };
}

/** @returns {Promise<boolean>} false when the token was cancelled first */
function unlessCancelled(token, subscribe) {
  return new Promise((settle) => {
    if (token.isCancellationRequested) return settle(false);
    const finish = (value) => {
      subscription.dispose();
      cancel.dispose();
      settle(value);
    };
    const subscription = subscribe(() => finish(true));
    const cancel = token.onCancellationRequested(() => finish(false));
  });
}

async function chat(model, messages, reply) {
  const said = messages.map((message) => ({
    role: message.role === vscode.LanguageModelChatMessageRole.Assistant ? "assistant" : "user",
    text: textOf(message),
  }));
  const tokens = said.reduce((sum, { text }) => sum + countTokens(text), 0);
  const text = chatReply({ modelName: model.name, messages: said, tokens });
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) {
    if (!(await reply.wait(PIECE_MS))) return;
    reply.text(text.slice(at, at + PIECE_CHARACTERS));
  }
}

/** Text of a request message: its text parts, tool calls and results; data by its size only. */
function textOf(message) {
  return message.content
    .map((part) => {
      if (part instanceof vscode.LanguageModelTextPart) return part.value;
      if (part instanceof vscode.LanguageModelToolCallPart)
        return `${part.name} ${JSON.stringify(part.input)}`;
      if (part instanceof vscode.LanguageModelToolResultPart) return textOf(part);
      return "";
    })
    .join("\n");
}

/** In the shape that Copilot sends. */
function usageOf(sent, written) {
  const promptTokens = countTokens(sent);
  const completionTokens = countTokens(written);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0 },
  };
}
