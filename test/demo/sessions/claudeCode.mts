/** A story as Claude Code writes it: one line a part, several lines with one message id and the same usage. */

import { storyClock } from "./clock.mts";
import { seededRandom } from "./seededRandom.mts";
import type { Story, StoryCall, StoryRound, StoryTurn } from "./story.mts";

const TOOL_NAMES: Readonly<Record<StoryCall["tool"], string>> = {
  read: "Read",
  write: "Write",
  edit: "Edit",
  bash: "Bash",
  grep: "Grep",
  task: "Task",
};
const VERSION = "2.1.80";
/** What the agent itself puts before every request; part of the usage it reports. */
const SYSTEM_TOKENS = 3_200;
const BYTES_PER_TOKEN = 4;

type Line = Record<string, unknown>;

export function claudeCodeFile(story: Story): string {
  const writer = new ClaudeWriter(story);
  for (const turn of story.turns) writer.turn(turn);
  return `${writer.lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

/** UTF-8 bytes of every text inside, without JSON's own characters: what a model would be sent. */
function textBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + textBytes(part), 0);
}

class ClaudeWriter {
  readonly lines: Line[] = [];
  readonly #story: Story;
  readonly #random;
  readonly #clock;
  readonly #sessionId: string;
  #parent: string | null = null;
  #bytes = 0;

  constructor(story: Story) {
    this.#story = story;
    this.#random = seededRandom(story.seed + 1);
    this.#clock = storyClock(this.#random);
    this.#sessionId = this.#uuid();
    this.lines.push({ type: "summary", summary: story.title, leafUuid: this.#uuid() });
  }

  turn(turn: StoryTurn): void {
    if (turn.command !== undefined) {
      this.#user(
        `<command-message>${turn.command} is running…</command-message>\n<command-name>/${turn.command}</command-name>\n` +
          `<command-args>${turn.user}</command-args>`,
      );
    } else if (turn.reminder !== undefined) {
      const reminder = `<system-reminder>\n${turn.reminder}\n</system-reminder>`;
      this.#user([
        { type: "text", text: reminder },
        { type: "text", text: turn.user },
      ]);
    } else {
      this.#user(turn.user);
    }
    for (const round of turn.rounds) this.#round(round, false);
    if (turn.reply !== undefined) this.#assistant([{ type: "text", text: turn.reply }], false, "end_turn");
  }

  #round(round: StoryRound, isSidechain: boolean): void {
    const ids = round.calls.map(() => `toolu_${this.#random.hex(24)}`);
    this.#assistant(
      [
        ...(round.thinking === undefined
          ? []
          : [{ type: "thinking", thinking: round.thinking, signature: this.#random.hex(40) }]),
        { type: "text", text: round.say },
        ...round.calls.map(({ tool, input }, index) => ({
          type: "tool_use",
          id: ids[index],
          name: TOOL_NAMES[tool],
          input,
        })),
      ],
      isSidechain,
      "tool_use",
    );
    round.calls.forEach((call, index) => {
      if (call.side !== undefined) this.#sidechain(call);
      if (call.output === undefined) return;
      const result = { tool_use_id: ids[index], type: "tool_result", content: call.output };
      this.#user([call.isError ? { ...result, is_error: true } : result], isSidechain, {
        stdout: call.output.slice(0, 80),
      });
    });
  }

  /** A helper agent's own lines: a tree of their own, with no parent in the main one. */
  #sidechain(call: StoryCall): void {
    const parent = this.#parent;
    const bytes = this.#bytes;
    this.#parent = null;
    this.#bytes = 0;
    this.#user(call.input["prompt"] ?? "", true);
    for (const round of call.side ?? []) this.#round(round, true);
    this.#assistant([{ type: "text", text: call.output ?? "" }], true, "end_turn");
    this.#parent = parent;
    this.#bytes = bytes;
  }

  #assistant(parts: readonly Line[], isSidechain: boolean, stopReason: string): void {
    const written = textBytes(parts);
    const message = {
      id: `msg_${this.#random.hex(24)}`,
      type: "message",
      role: "assistant",
      model: this.#story.model,
    };
    const usage = {
      input_tokens: 4,
      cache_creation_input_tokens: this.#random.between(200, 900),
      cache_read_input_tokens: SYSTEM_TOKENS + Math.floor(this.#bytes / BYTES_PER_TOKEN),
      output_tokens: Math.ceil(written / BYTES_PER_TOKEN),
      service_tier: "standard",
    };
    parts.forEach((part, index) => {
      const isLast = index === parts.length - 1;
      this.#line(
        {
          message: {
            ...message,
            content: [part],
            stop_reason: isLast ? stopReason : null,
            stop_sequence: null,
            usage,
          },
          requestId: `req_${message.id.slice(4, 16)}`,
          type: "assistant",
        },
        isSidechain,
      );
    });
    this.#bytes += written;
  }

  #user(content: string | readonly Line[], isSidechain = false, toolUseResult?: Line): void {
    this.#bytes += textBytes(content);
    this.#line(
      {
        type: "user",
        message: { role: "user", content },
        ...(toolUseResult === undefined ? {} : { toolUseResult }),
      },
      isSidechain,
    );
  }

  #line(fields: Line, isSidechain: boolean): void {
    const uuid = this.#uuid();
    this.lines.push({
      parentUuid: this.#parent,
      isSidechain,
      userType: "external",
      cwd: this.#story.folder,
      sessionId: this.#sessionId,
      version: VERSION,
      gitBranch: "main",
      ...fields,
      uuid,
      timestamp: this.#clock.tick(),
    });
    this.#parent = uuid;
  }

  #uuid(): string {
    const { hex } = this.#random;
    return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  }
}
