/** Synthetic transcripts, the same for a seed: agent work with the mix of sizes that was measured on real files. */
import type { Message, Part } from "../../src/core/messages.ts";
import type { SeededRandom } from "../demo/sessions/seededRandom.mts";
import { seededRandom } from "../demo/sessions/seededRandom.mts";

const TOOLS = ["read", "bash", "edit", "grep", "list"] as const;
const POOL_CHARACTERS = 1 << 20;
const WORDS = [
  ..."the a of in to and is for it with on as be at by this that from or an are was not but can all if one do".split(
    " ",
  ),
  ..."const function return await import export number string boolean undefined readonly private class new".split(
    " ",
  ),
  ..."message session capsule budget token window reserve tail round turn anchor digest index error value".split(
    " ",
  ),
  ..."src/core/plan.ts test/unit/log.test.ts package.json {}; => [] () // === && 0x1f 127.0.0.1 {} ok: yes".split(
    " ",
  ),
];
const OTHER_SCRIPTS = "größer naïve café данные 数据 결과 données 😀 € ✓".split(" ");
/** Texts with a character beyond Latin-1: Node keeps every character of them in two bytes. */
const OTHER_SCRIPTS_SHARE = 0.06;

/** Sizes in characters and how often of a thousand; large outputs make up much of a session's bytes. */
const OUTPUT_SIZES = [
  { perMille: 712, low: 40, high: 900 },
  { perMille: 240, low: 900, high: 2_600 },
  { perMille: 44, low: 4_000, high: 12_000 },
  { perMille: 4, low: 40_000, high: 120_000 },
] as const;

/** An endless session: a turn is a request, some rounds of tool calls with their results, and an answer. */
export function* seededTranscript(seed: number): Generator<Message, never> {
  const random = seededRandom(seed);
  const latin = textPool(random, WORDS);
  const mixed = textPool(random, [...WORDS, ...OTHER_SCRIPTS]);
  const text = (low: number, high: number): string => {
    const length = random.between(low, high);
    const pool = random.next() < OTHER_SCRIPTS_SHARE ? mixed : latin;
    const start = random.between(0, pool.length - length - 1);
    return pool.slice(start, start + length).toWellFormed();
  };
  let messages = 0;
  const message = (role: Message["role"], content: Part[], usage?: Message["usage"]): Message => {
    messages += 1;
    const id = `${random.hex(8)}-${messages}`;
    return usage === undefined ? { id, role, content } : { id, role, content, usage };
  };
  yield message("system", [{ type: "text", text: text(2_000, 3_000) }]);
  for (;;) {
    yield message("user", [{ type: "text", text: text(60, 500) }]);
    for (let round = random.between(2, 14); round > 0; round -= 1) {
      const calls = random.next() < 0.12 ? random.between(2, 4) : 1;
      const toolCalls = Array.from({ length: calls }, (): Part & { type: "tool-call" } => ({
        type: "tool-call",
        toolCallId: `call_${random.hex(20)}`,
        toolName: random.pick(TOOLS),
        input: { path: `src/${random.hex(6)}.ts`, query: text(10, 120) },
      }));
      const spoken: Part[] = random.next() < 0.6 ? [{ type: "text", text: text(40, 400) }] : [];
      yield message("assistant", [...spoken, ...toolCalls]);
      for (const { toolCallId, toolName } of toolCalls) {
        const size = outputSize(random);
        yield message("tool", [
          { type: "tool-result", toolCallId, toolName, output: text(size.low, size.high) },
        ]);
      }
    }
    yield message("assistant", [{ type: "text", text: text(100, 1_400) }]);
  }
}

export function transcriptOf(count: number, seed = 1): Message[] {
  const messages: Message[] = [];
  for (const message of seededTranscript(seed)) {
    messages.push(message);
    if (messages.length >= count && message.role === "assistant" && endsRound(message)) break;
  }
  return messages;
}

function endsRound({ content }: Message): boolean {
  return content.every(({ type }) => type !== "tool-call");
}

function outputSize(random: SeededRandom): (typeof OUTPUT_SIZES)[number] {
  let left = random.between(1, 1000);
  for (const size of OUTPUT_SIZES) {
    left -= size.perMille;
    if (left <= 0) return size;
  }
  return OUTPUT_SIZES[0];
}

function textPool(random: SeededRandom, vocabulary: readonly string[]): string {
  const words: string[] = [];
  for (let characters = 0; characters < POOL_CHARACTERS; ) {
    const word = random.next() < 0.08 ? `${random.pick(vocabulary)}\n` : random.pick(vocabulary);
    words.push(word);
    characters += word.length + 1;
  }
  return words.join(" ");
}
