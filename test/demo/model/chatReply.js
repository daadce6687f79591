/** What the Demo Model says in a chat: honest about being a script, and concrete about what it was sent. */

const SIGNATURE = "a scripted demo";
const QUOTE_CHARACTERS = 200;
const FOUND_CHARACTERS = 300;
const FOUND_AT_MOST = 2;
/** Shorter words tell nothing about what is asked. */
const WORD_LETTERS = 4;

/**
 * @typedef {{ role: "user" | "assistant", text: string }} Sent
 * @param {{ modelName: string, messages: readonly Sent[], tokens: number }} request
 * @returns {string} Markdown
 */
function chatReply({ modelName, messages, tokens }) {
  const asked = messages.findLast(({ role }) => role === "user")?.text.trim() ?? "";
  const found = sentencesAbout(asked, messages.slice(0, -1));
  return [
    `You said: “${shortened(asked, QUOTE_CHARACTERS)}”`,
    "",
    ...(found.length === 0
      ? ["Nothing that I was sent with it speaks of that."]
      : [
          "What I was sent says about that, newest first:",
          "",
          found.map((sentence) => `> ${sentence}`).join("\n>\n"),
        ]),
    "",
    `I am **${modelName}**, ${SIGNATURE}: no model stands behind this reply, I only search in what I was sent. ` +
      `That was ${messages.length} message${messages.length === 1 ? "" : "s"}, about ${tokens.toLocaleString("en-US")} tokens.`,
  ].join("\n");
}

/**
 * The sentences that share most words with the question.
 * @param {string} asked
 * @param {readonly Sent[]} messages
 */
function sentencesAbout(asked, messages) {
  const words = wordsOf(asked);
  const found = new Map();
  for (const { text } of messages) {
    // Its own earlier replies only repeat what they found.
    if (text.includes(SIGNATURE)) continue;
    for (const sentence of text.split(/(?<=[.!?])\s+|\n+/)) {
      const shared = wordsOf(sentence).filter((word) => words.includes(word)).length;
      if (shared > 0) found.set(shortened(sentence.trim(), FOUND_CHARACTERS), shared);
    }
  }
  const newestFirst = [...found].reverse();
  const best = Math.max(0, ...newestFirst.map(([, shared]) => shared));
  return newestFirst
    .filter(([, shared]) => shared === best)
    .map(([sentence]) => sentence)
    .slice(0, FOUND_AT_MOST);
}

/** @param {string} text */
function wordsOf(text) {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return [...new Set(words)].filter((word) => word.length >= WORD_LETTERS && !COMMON.has(word));
}

const COMMON = new Set([
  "what",
  "that",
  "this",
  "with",
  "when",
  "where",
  "which",
  "about",
  "have",
  "from",
  "they",
  "does",
  "decide",
  "decided",
  "should",
  "there",
  "were",
  "will",
  "would",
  "your",
]);

/**
 * @param {string} text
 * @param {number} characters
 */
function shortened(text, characters) {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > characters ? `${line.slice(0, characters)}…` : line;
}

module.exports = { chatReply };
