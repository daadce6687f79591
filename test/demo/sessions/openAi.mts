/** A story as a list of OpenAI-style chat messages. */
import { seededRandom } from "./seededRandom.mts";
import type { Story } from "./story.mts";

export function openAiFile(story: Story): string {
  const random = seededRandom(story.seed + 3);
  const messages: Record<string, unknown>[] = [{ role: "system", content: story.system }];
  for (const turn of story.turns) {
    messages.push({ role: "user", content: turn.user });
    for (const { say, calls } of turn.rounds) {
      const ids = calls.map(() => `call_${random.hex(24)}`);
      messages.push({
        role: "assistant",
        content: say,
        tool_calls: calls.map(({ tool, input }, index) => ({
          id: ids[index],
          type: "function",
          function: { name: tool, arguments: JSON.stringify(input) },
        })),
      });
      calls.forEach(({ output }, index) => {
        if (output !== undefined) messages.push({ role: "tool", tool_call_id: ids[index], content: output });
      });
    }
    if (turn.reply !== undefined) messages.push({ role: "assistant", content: turn.reply });
  }
  return `${JSON.stringify({ messages }, null, 1)}\n`;
}
