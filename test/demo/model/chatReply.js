/** What the Demo Model says in a chat: honest about being a script, and concrete about what it was sent. */

const QUOTE_CHARACTERS = 200;

/**
 * @param {{ modelName: string, messages: readonly { role: "user" | "assistant", text: string }[], tokens: number }} request
 * @returns {string} Markdown
 */
function chatReply({ modelName, messages, tokens }) {
  const asked = messages.findLast(({ role }) => role === "user")?.text.trim() ?? "";
  const capsule = messages.some(({ text }) => /context-summary|context capsule/i.test(text));
  const quoted = asked.length > QUOTE_CHARACTERS ? `${asked.slice(0, QUOTE_CHARACTERS)}…` : asked;
  return [
    `You said: “${quoted.replaceAll("\n", " ")}”`,
    "",
    `I am **${modelName}**, a scripted demo: no model stands behind this reply, so I can only tell you what I was sent. ` +
      `It was ${messages.length} message${messages.length === 1 ? "" : "s"}, about ${tokens.toLocaleString("en-US")} tokens` +
      `${capsule ? ", with a capsule that stands for the earlier part" : ""}.`,
    "",
    "Try **Compact Now** from the status bar, look at what stayed in the Capsules view, then go on here: " +
      "the next reply is made from the compacted context.",
  ].join("\n");
}

module.exports = { chatReply };
