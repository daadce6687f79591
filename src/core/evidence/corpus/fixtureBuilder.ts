import type { AnchorKind } from "../../capsule/contextSummary.ts";
import { sha256Hex } from "../../digest.ts";
import type { Message, MessageKind, Part } from "../../messages.ts";
import type { ContextCompactionFixture, ExpectedAnchor, FixtureRound } from "../fixture.ts";

/** One tool call with what comes back; no output: the call was interrupted and answered by nothing. */
export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: string;
  readonly isError?: boolean;
  /** Default: an id of its own. Providers do reuse ids. */
  readonly callId?: string;
}

export type Step =
  | { readonly by: "user"; readonly parts: readonly string[]; readonly kind?: MessageKind }
  | { readonly by: "assistant"; readonly text: string; readonly uses: readonly ToolUse[] };

export interface RoundStory {
  readonly steps: readonly Step[];
  /** What the capsule must hold from this round on. */
  readonly adds?: readonly ExpectedAnchor[];
  /** Texts that were expected before and hold no longer. */
  readonly retires?: readonly string[];
  /** Tool outputs that must stay recoverable from this round on. */
  readonly recovers?: readonly string[];
}

/** What a person types, in one part or several. */
export const says = (...parts: readonly string[]): Step => ({ by: "user", parts });

/** What software puts into a user message. */
export const injects = (kind: MessageKind, text: string): Step => ({ by: "user", parts: [text], kind });

/** What the assistant says, and the tools it calls in the same message. */
export const answers = (text: string, ...uses: readonly ToolUse[]): Step => ({ by: "assistant", text, uses });

/** A statement of the user's that must hold, word for word. */
export const commitment = (kind: AnchorKind, text: string): ExpectedAnchor => ({
  kind,
  text,
  critical: true,
});

/** The fixture of a story: ids in order, expectations added up over the rounds. */
export function fixtureOf(id: string, stories: readonly RoundStory[]): ContextCompactionFixture {
  let expected: readonly ExpectedAnchor[] = [];
  let digests: readonly string[] = [];
  const rounds = stories.map((story, at): FixtureRound => {
    const retired = new Set(story.retires);
    expected = [...expected.filter(({ text }) => !retired.has(text)), ...(story.adds ?? [])];
    digests = [...digests, ...(story.recovers ?? []).map(sha256Hex)];
    return {
      messages: messagesOf(`r${at + 1}`, story.steps),
      expected,
      expectedRecoveryDigests: digests,
    };
  });
  return { id, rounds };
}

function messagesOf(prefix: string, steps: readonly Step[]): Message[] {
  const messages: Message[] = [];
  const nextId = (): string => `${prefix}.${messages.length + 1}`;
  for (const step of steps) {
    if (step.by === "user") {
      const { parts, kind } = step;
      const content = parts.map((text): Part => ({ type: "text", text }));
      messages.push({ id: nextId(), role: "user", content, ...(kind === undefined ? {} : { kind }) });
      continue;
    }
    const id = nextId();
    const uses = step.uses.map((use, at) => ({ callId: `${id}.call${at + 1}`, ...use }));
    const calls = uses.map(
      ({ callId, tool, input }): Part => ({ type: "tool-call", toolCallId: callId, toolName: tool, input }),
    );
    const spoken: Part[] = step.text === "" ? [] : [{ type: "text", text: step.text }];
    messages.push({ id, role: "assistant", content: [...spoken, ...calls] });
    for (const { callId, tool, output, isError } of uses) {
      if (output === undefined) continue;
      const result: Part = {
        type: "tool-result",
        toolCallId: callId,
        toolName: tool,
        output,
        ...(isError === true ? { isError } : {}),
      };
      messages.push({ id: nextId(), role: "tool", content: [result] });
    }
  }
  return messages;
}
