import type { ActiveSession } from "../activeSession.ts";
import type { AutomaticQuestion } from "../automaticQuestion.ts";
import type { ChatBinding } from "../chatBinding.ts";
import type { LanguageModels } from "../models/languageModels.ts";
import type { SummarizerChoice } from "../summarizerChoice.ts";

/** What the participant works with; the surface gives it. */
export interface ChatParts {
  readonly sessions: Pick<ActiveSession, "current" | "restore" | "activate" | "create" | "borrow">;
  readonly chats: Pick<ChatBinding, "take">;
  readonly models: Pick<LanguageModels, "of" | "offline">;
  readonly summarizer: SummarizerChoice;
  readonly question: Pick<AutomaticQuestion, "mayCompact">;
  /** Told of what went wrong, beside what the reply says. */
  readonly onError: (error: unknown) => void;
}
