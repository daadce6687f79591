import fc from "fast-check";
import type { Message, Part, ToolResultPart } from "../../../src/core/messages.ts";

/** A long id, as some providers make them. */
export const LONG_ID = `toolu_${"x".repeat(59)}`;
/** Few, so that ids are used again in one transcript. */
const CALL_IDS = ["call_1", "call_2", "call_3", LONG_ID] as const;
const TOOL_NAMES = ["read", "bash", "grep"] as const;
/** A PNG header of 1000 x 800 pixels. */
export const PNG_1000_BY_800 = "iVBORw0KGgoAAAANSUhEUgAAA+gAAAMgCAIAAAA=";

/** Texts of all kinds: empty, several bytes a character, lone surrogates, long ones. */
export function textArbitrary(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ maxLength: 40 }) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom("\ud800", "\udc00", "a", "€", "😀")).map((units) => units.join("")),
    },
    {
      weight: 3,
      arbitrary: fc.integer({ min: 100, max: 4000 }).map((length) => "long output ".repeat(length / 12)),
    },
  );
}

/** A message before it has its place and so its id. */
type Draft = Omit<Message, "id">;

/** A few messages that come together. */
type Step = readonly Draft[];

function textMessage(role: Message["role"], kind?: Message["kind"]): fc.Arbitrary<Step> {
  return textArbitrary().map((text) => [
    { role, ...(kind === undefined ? {} : { kind }), content: [{ type: "text", text }] },
  ]);
}

const callArbitrary = fc.record({
  type: fc.constant("tool-call" as const),
  toolCallId: fc.constantFrom(...CALL_IDS),
  toolName: fc.constantFrom(...TOOL_NAMES),
  input: fc.jsonValue({ maxDepth: 2 }),
});

/** One assistant message with one to three calls and what became of them: results in any order, some missing. */
function roundArbitrary(): fc.Arbitrary<Step> {
  return fc
    .record({
      lead: fc.option(textArbitrary(), { nil: undefined }),
      calls: fc.array(callArbitrary, { minLength: 1, maxLength: 3 }),
      answered: fc.oneof({ weight: 4, arbitrary: fc.constant(3) }, { weight: 1, arbitrary: fc.nat(2) }),
      reversed: fc.boolean(),
      oneMessage: fc.boolean(),
      outputs: fc.array(textArbitrary(), { minLength: 3, maxLength: 3 }),
      isError: fc.boolean(),
    })
    .map(({ lead, calls, answered, reversed, oneMessage, outputs, isError }): Step => {
      const text: Part[] = lead === undefined ? [] : [{ type: "text", text: lead }];
      const results = calls.slice(0, answered).map(
        ({ toolCallId, toolName }, i): ToolResultPart => ({
          type: "tool-result",
          toolCallId,
          toolName,
          output: outputs[i] ?? "",
          ...(isError ? { isError } : {}),
        }),
      );
      if (reversed) results.reverse();
      const answers: Step =
        oneMessage && results.length > 0
          ? [{ role: "tool", content: results }]
          : results.map((result) => ({ role: "tool", content: [result] }));
      return [{ role: "assistant", content: [...text, ...calls] }, ...answers];
    });
}

/** A call answered by an assistant message that makes another one, as tools that run at the provider leave it. */
function chainedCallsArbitrary(): fc.Arbitrary<Step> {
  return fc.tuple(callArbitrary, callArbitrary, textArbitrary()).map(([first, second, output]): Step => {
    const { toolCallId, toolName } = first;
    return [
      { role: "assistant", content: [first] },
      { role: "assistant", content: [{ type: "tool-result", toolCallId, toolName, output }, second] },
    ];
  });
}

/** A result alone: of an earlier open call, or an orphan. */
function looseResultArbitrary(): fc.Arbitrary<Step> {
  return fc
    .record({
      toolCallId: fc.constantFrom(...CALL_IDS, "call_of_nobody"),
      toolName: fc.constantFrom(...TOOL_NAMES),
      output: textArbitrary(),
    })
    .map((result) => [{ role: "tool", content: [{ type: "tool-result", ...result }] }]);
}

function attachmentArbitrary(): fc.Arbitrary<Step> {
  return fc.record({ text: textArbitrary(), image: fc.boolean() }).map(({ text, image }): Step => {
    const content: Part[] = [{ type: "text", text }];
    if (image) content.push({ type: "image", mediaType: "image/png", data: PNG_1000_BY_800 });
    return [{ role: "user", kind: "attachment", content }];
  });
}

function reasoningArbitrary(): fc.Arbitrary<Step> {
  return textArbitrary().map((text) => [
    {
      role: "assistant",
      content: [
        { type: "reasoning", text, signature: "opaque" },
        { type: "text", text: "so" },
      ],
    },
  ]);
}

export interface TranscriptShape {
  /** Results without a call, long after it, or in an assistant message. Default true. */
  readonly looseResults?: boolean;
  /** Notices, capsules and attachments. Default true. */
  readonly injected?: boolean;
  /** Steps at most; a step is one to seven messages. Default 30. */
  readonly maxSteps?: number;
}

/** Transcripts as sessions have them, and worse: reused ids, parallel and open calls, results first, orphans. */
export function transcriptArbitrary(shape: TranscriptShape = {}): fc.Arbitrary<Message[]> {
  const { looseResults = true, injected = true, maxSteps = 30 } = shape;
  const steps: fc.WeightedArbitrary<Step>[] = [
    { weight: 5, arbitrary: textMessage("user") },
    { weight: 4, arbitrary: textMessage("assistant") },
    { weight: 1, arbitrary: reasoningArbitrary() },
    { weight: 9, arbitrary: roundArbitrary() },
  ];
  if (injected) {
    steps.push(
      { weight: 1, arbitrary: textMessage("user", "notice") },
      { weight: 1, arbitrary: textMessage("user", "capsule") },
      { weight: 2, arbitrary: attachmentArbitrary() },
    );
  }
  if (looseResults) {
    steps.push(
      { weight: 1, arbitrary: looseResultArbitrary() },
      { weight: 1, arbitrary: chainedCallsArbitrary() },
    );
  }
  return fc
    .tuple(
      fc.option(textMessage("system"), { nil: [] as Step }),
      fc.array(fc.oneof(...steps), { maxLength: maxSteps, size: "max" }),
    )
    .map(([system, rest]) =>
      [...system, ...rest.flat()].map((draft, at): Message => ({ id: `m${at}`, ...draft })),
    );
}

/** Freezes a value to its last leaf, so that whoever changes it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
