import type { Part, ToolCallPart } from "../messages.ts";
import type { FinishReason, ModelChunk } from "../model.ts";
import type { RunListener } from "./runEvents.ts";

/** Collects the chunks of a reply into the parts of its message, and tells of them. */
export class ReplyParts {
  readonly parts: Part[] = [];
  finishReason: FinishReason | undefined;
  readonly #tell: RunListener;

  constructor(tell: RunListener) {
    this.#tell = tell;
  }

  get calls(): readonly ToolCallPart[] {
    return this.parts.filter((part) => part.type === "tool-call");
  }

  add(chunk: ModelChunk): void {
    const last = this.parts.at(-1);
    switch (chunk.type) {
      case "text":
        if (last?.type === "text") this.#replaceLast({ type: "text", text: last.text + chunk.text });
        else this.parts.push({ type: "text", text: chunk.text });
        this.#tell({ type: "text", text: chunk.text });
        break;
      case "reasoning": {
        const signature = chunk.signature === undefined ? {} : { signature: chunk.signature };
        // A signature closes its text.
        if (last?.type === "reasoning" && last.signature === undefined) {
          this.#replaceLast({ type: "reasoning", text: last.text + chunk.text, ...signature });
        } else this.parts.push({ type: "reasoning", text: chunk.text, ...signature });
        this.#tell({ type: "reasoning", text: chunk.text });
        break;
      }
      case "tool-call": {
        const { toolCallId, toolName, input } = chunk;
        const call: ToolCallPart = { type: "tool-call", toolCallId, toolName, input };
        this.parts.push(call);
        this.#tell({ type: "tool_call", call });
        break;
      }
      case "finish":
        this.finishReason = chunk.reason;
        break;
      case "usage":
        break;
    }
  }

  #replaceLast(part: Part): void {
    this.parts[this.parts.length - 1] = part;
  }
}
