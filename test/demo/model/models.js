/** Every model this extension can offer. Input windows are smaller than the sample session, so that there is something to do. */
const { behaviours } = require("./behaviours.js");

const VERSION = "1";
const REPLY_TOKENS = 4_096;

/** @typedef {{ id: string, name: string, behaviour: string, maxInputTokens: number, detail: string }} DemoModel */

/** VS Code takes the first name in the alphabet where nothing was chosen before. */
const OFFERED = [
  {
    id: "demo",
    name: "Demo Model",
    behaviour: "usage-reporting",
    maxInputTokens: 72_000,
    detail: "scripted, 72k",
  },
  {
    id: "demo-small",
    name: "Demo Model, small 8k",
    behaviour: "good",
    maxInputTokens: 8_192,
    detail: "scripted, 8k",
  },
  {
    id: "demo-large",
    name: "Demo Model, large 200k",
    behaviour: "good",
    maxInputTokens: 200_000,
    detail: "scripted, 200k",
  },
];

const BEHAVIOUR_WINDOW = 40_000;

/** @param {boolean} withBehaviours @returns {DemoModel[]} */
function demoModels(withBehaviours) {
  const extra = Object.entries(behaviours).map(([behaviour, { maxInputTokens }]) => ({
    id: behaviour,
    name: `Demo: ${behaviour}`,
    behaviour,
    maxInputTokens: maxInputTokens ?? BEHAVIOUR_WINDOW,
    detail: "scripted, for tests",
  }));
  return withBehaviours ? [...OFFERED, ...extra] : OFFERED;
}

/** As VS Code wants it. @param {DemoModel} model */
function modelInformation({ id, name, maxInputTokens, detail }) {
  return {
    id,
    name,
    detail,
    family: "context-capsule-demo",
    version: VERSION,
    maxInputTokens,
    maxOutputTokens: REPLY_TOKENS,
    tooltip: "A script, not a model: answers and writes capsule drafts without a key or a network.",
    capabilities: { toolCalling: true, imageInput: true },
  };
}

/** One token for each four bytes, rounded up: simple and always the same. @param {string} text */
function countTokens(text) {
  return Math.ceil(Buffer.byteLength(text, "utf8") / 4);
}

module.exports = { countTokens, demoModels, modelInformation };
