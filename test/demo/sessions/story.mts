/** A session as a story, before it is written in one agent's file format. */
export interface StoryCall {
  readonly tool: "read" | "write" | "edit" | "bash" | "grep" | "task";
  readonly input: Readonly<Record<string, string>>;
  /** Absent: the call was never answered (the turn was aborted). */
  readonly output?: string;
  readonly isError?: true;
  /** With `task`: what the helper agent said and did, in formats that record it. */
  readonly side?: readonly StoryRound[];
}

/** One assistant message with its calls, made at once, and their results. */
export interface StoryRound {
  readonly thinking?: string;
  readonly say: string;
  readonly calls: readonly StoryCall[];
}

export interface StoryTurn {
  readonly user: string;
  /** A slash command that the text belongs to. */
  readonly command?: string;
  /** What the agent's own software put beside the user's words. */
  readonly reminder?: string;
  readonly rounds: readonly StoryRound[];
  /** The closing words; absent when the turn was aborted. */
  readonly reply?: string;
}

export interface Story {
  readonly name: string;
  readonly title: string;
  readonly folder: string;
  readonly system: string;
  readonly model: string;
  readonly seed: number;
  readonly turns: readonly StoryTurn[];
}
