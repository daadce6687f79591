import type { FinishReason } from "../model.ts";
import type { CapsuleDraft } from "./draft.ts";
import { draftFromWire } from "./draft.ts";
import { isJsonObject, jsonValue, withoutFence } from "./jsonReply.ts";
import { surveyObjects } from "./surveyObjects.ts";

/** Why a summarizer's reply is no draft (contract section 5). */
export type ReplyFailure =
  | "reply_empty"
  | "reply_reasoning_only"
  | "reply_cut_off"
  | "reply_refused"
  | "reply_tool_call"
  | "reply_prose"
  | "reply_two_objects"
  | "schema";

export interface SummarizerReply {
  /** All text of the reply, without reasoning. */
  readonly text: string;
  /** The reply held reasoning and no text. */
  readonly reasoningOnly?: boolean;
  /** Undefined where the provider reports none, as `vscode.lm` does. */
  readonly finishReason?: FinishReason | undefined;
  /** How many tool calls the reply held. */
  readonly toolCalls?: number;
}

export type ReadReply =
  | { readonly ok: true; readonly draft: CapsuleDraft }
  | {
      readonly ok: false;
      readonly code: ReplyFailure;
      /** With `schema`: path of the first field that breaks the shape. */
      readonly where?: string;
    };

const LONGEST_REFUSAL_CHARACTERS = 1200;

/** How models decline, at the start of a short reply; straight and typographic apostrophes. */
const REFUSAL =
  /^\W*(?:(?:i['’]?m|i am)\s+(?:very\s+)?(?:sorry|afraid|unable|not able)|sorry\b|(?:unfortunately,?\s+)?i\s+(?:can(?:no|['’])t|can not|won['’]t|will not|must decline|have to decline|decline)|as an ai\b|je suis désolé|désolé|es tut mir leid|ich kann (?:das|dem|dabei|diese[rs]?)\b.*nicht|lo siento|no puedo\b|mi dispiace|desculpe|не могу|извините|申し訳|抱歉|很抱歉|对不起)/iu;

/** The draft of a reply, or the one code that says why there is none. Never throws. */
export function readReply(reply: SummarizerReply): ReadReply {
  if (reply.finishReason === "content-filter") return failed("reply_refused");
  if ((reply.toolCalls ?? 0) > 0) return failed("reply_tool_call");
  if (reply.text.trim() === "") {
    if (reply.reasoningOnly === true) return failed("reply_reasoning_only");
    return failed(reply.finishReason === "length" ? "reply_cut_off" : "reply_empty");
  }
  if (reply.finishReason === "length") return failed("reply_cut_off");
  const value = jsonValue(withoutFence(reply.text));
  if (isJsonObject(value)) {
    const result = draftFromWire(value);
    return result.ok ? result : { ok: false, code: "schema", where: result.where };
  }
  return failed(value === undefined ? whyNoJson(reply.text) : "schema");
}

function failed(code: ReplyFailure): ReadReply {
  return { ok: false, code };
}

function whyNoJson(reply: string): ReplyFailure {
  const text = reply.trim();
  const survey = surveyObjects(text);
  if (survey.objects >= 2) return "reply_two_objects";
  if (survey.endsInside) return "reply_cut_off";
  if (survey.objects === 1) return hasOpenFence(text) ? "reply_cut_off" : "reply_prose";
  if (survey.closedAt === text.length && text.startsWith("{")) return "schema";
  const isRefusal = text.length <= LONGEST_REFUSAL_CHARACTERS && REFUSAL.test(text);
  return isRefusal ? "reply_refused" : "reply_prose";
}

/** One object in a fence that was opened and never closed: the reply ended early. */
function hasOpenFence(text: string): boolean {
  return text.startsWith("```json") && text.endsWith("}");
}
