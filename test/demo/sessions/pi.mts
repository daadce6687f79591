/** A story as pi writes it: one JSON line an entry, results as messages of role toolResult, aborted turns with open calls. */
import { storyClock } from "./clock.mts";
import { seededRandom } from "./seededRandom.mts";
import type { Story, StoryRound } from "./story.mts";

const FORMAT_VERSION = 3;
const BYTES_PER_TOKEN = 4;

type Entry = Record<string, unknown>;

export function piFile(story: Story): string {
  const random = seededRandom(story.seed + 2);
  const clock = storyClock(random);
  const lines: Entry[] = [];
  let parentId: string | null = null;
  let bytes = 0;

  const add = (fields: Entry): void => {
    const id = random.hex(8);
    lines.push({ ...fields, id, parentId, timestamp: clock.tick() });
    parentId = id;
  };
  const message = (fields: Entry): void => {
    add({ type: "message", message: { ...fields, timestamp: clock.nowMs() } });
    bytes += Buffer.byteLength(JSON.stringify(fields));
  };
  const assistant = (content: readonly Entry[], stopReason: "stop" | "toolUse" | "aborted"): void => {
    const input = Math.floor(bytes / BYTES_PER_TOKEN);
    const output = Math.ceil(Buffer.byteLength(JSON.stringify(content)) / BYTES_PER_TOKEN);
    const nothing = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
    message({
      role: "assistant",
      content,
      api: "openai-completions",
      provider: "demo",
      model: story.model,
      usage: { input, output, cacheRead: 0, cacheWrite: 0, totalTokens: input + output, cost: nothing },
      stopReason,
      ...(stopReason === "aborted" ? { errorMessage: "Request was aborted" } : {}),
    });
  };
  const round = ({ thinking, say, calls }: StoryRound): void => {
    const ids = calls.map(() => `call_${random.hex(24)}`);
    const isAborted = calls.some(({ output }) => output === undefined);
    assistant(
      [
        ...(thinking === undefined ? [] : [{ type: "thinking", thinking }]),
        { type: "text", text: say },
        ...calls.map(({ tool, input }, index) => ({
          type: "toolCall",
          id: ids[index],
          name: tool,
          arguments: input,
        })),
      ],
      isAborted ? "aborted" : "toolUse",
    );
    calls.forEach(({ tool, output, isError }, index) => {
      if (output === undefined) return;
      message({
        role: "toolResult",
        toolCallId: ids[index],
        toolName: tool,
        content: [{ type: "text", text: output }],
        isError: isError ?? false,
      });
    });
  };

  const sessionId = `${random.hex(8)}-${random.hex(4)}-7${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`;
  const header = {
    type: "session",
    version: FORMAT_VERSION,
    id: sessionId,
    timestamp: clock.tick(),
    cwd: story.folder,
  };
  add({ type: "model_change", provider: "demo", modelId: story.model });
  for (const turn of story.turns) {
    message({ role: "user", content: [{ type: "text", text: turn.user }] });
    for (const each of turn.rounds) round(each);
    if (turn.reply !== undefined) assistant([{ type: "text", text: turn.reply }], "stop");
  }
  return `${[header, ...lines].map((line) => JSON.stringify(line)).join("\n")}\n`;
}
