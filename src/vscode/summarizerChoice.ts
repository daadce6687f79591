import type { ChatModel } from "../core/model.ts";

/** Who writes the capsule. */
export interface SummarizerChoice {
  /**
   * The model that the setting names, else the model of the session's chat, else the offline summarizer; undefined =
   * none can be used, or the person dismissed the picker. `interactive` = the person has just acted, so a picker and
   * a consent dialog may be shown; without it nothing is asked and only a vendor that worked before is used.
   */
  choose(interactive: boolean, sessionModelId?: string): Promise<ChatModel | undefined>;
}

/** Who would write the capsule. */
export interface SummarizerForecast {
  /** The model that Compact Now would take, whether its vendor worked before or not; nothing is asked and nothing sent. */
  foresee(sessionModelId?: string): Promise<ChatModel | undefined>;
}
