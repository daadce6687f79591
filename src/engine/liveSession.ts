import type { CompactionPreview, CompactOutcome } from "../core/compactionOutcome.ts";
import type { CompactionPhase } from "../core/compactOptions.ts";
import type { Basis, Message, Part, Usage } from "../core/messages.ts";
import type { ChatModel, Clock } from "../core/model.ts";
import type { CompactionPolicy } from "../core/policy.ts";
import type { ContextState } from "../core/projection.ts";
import type { CommitmentAction, CompactionReceipt, EndState } from "../core/records.ts";
import type { OpenSession } from "../sessions/session.ts";

export type { CompactionPhase };

/** `ask` and undecided counts as off until the person has answered. */
export type AutomaticMode = "ask" | "on" | "off";

export interface EngineSettings {
  readonly policy: CompactionPolicy;
  readonly automatic: AutomaticMode;
  /** Window pressure may act on estimates where no provider gave a number. */
  readonly estimatedMode: boolean;
  readonly summaryMaxTokens: number;
}

/** Everything that the status bar and its hover say; plain numbers, no words. */
export interface MeterReading {
  readonly sessionId: string;
  readonly title: string;
  readonly modelId?: string;
  readonly modelName?: string;
  /** Tokens of the next request; undefined = unknown. */
  readonly usedTokens?: number;
  readonly basis: Basis;
  /** When the number that `usedTokens` rests on was reported or counted; milliseconds since the epoch. */
  readonly measuredAt?: number;
  readonly window?: number;
  readonly windowSource: "setting" | "model" | "unknown";
  readonly budget?: number;
  /** min(window, budget); undefined = unknown, then there is no percent and no automatic run. */
  readonly ceiling?: number;
  readonly triggerLine?: number;
  readonly reserveTokens?: number;
  /** usedTokens / ceiling. */
  readonly fraction?: number;
  readonly level: "unknown" | "calm" | "over_line" | "stopped";
  /** Our own estimate of the context, tokens by kind. */
  readonly breakdown: {
    readonly system: number;
    readonly user: number;
    readonly assistant: number;
    readonly toolResults: number;
    readonly capsule: number;
    readonly images: number;
  };
  readonly messageCount: number;
  /** Undefined while a long session is still being counted through; a change tells when it is known. */
  readonly evictable: { readonly count: number; readonly tokens: number } | undefined;
  readonly generation?: {
    readonly generation: number;
    /** Tokens before the run that made it, what that run evicted included. */
    readonly before: number;
    readonly receipt: CompactionReceipt;
  };
  readonly lastRun?: { readonly state: EndState; readonly receipt: CompactionReceipt };
  readonly running?: { readonly runId: string; readonly startedAt: number; readonly phase: CompactionPhase };
  readonly automatic: AutomaticMode;
  /** Set after an undo: no automatic run until the person turns it on again. */
  readonly automaticPaused: boolean;
  readonly readOnly: boolean;
}

export interface CompactRequest {
  readonly trigger: "manual" | "window";
  /** Undefined = no model: eviction alone. */
  readonly model: ChatModel | undefined;
  /** The model of the chat, whose window rules; default `model`. */
  readonly chatModel?: ChatModel;
  readonly focus?: string;
  readonly signal: AbortSignal;
  readonly onPhase?: (phase: CompactionPhase) => void;
}

export type UndoOutcome =
  | {
      readonly ok: true;
      readonly runId: string;
      readonly kind: "evicted" | "summarized";
      readonly generation?: number;
    }
  | { readonly ok: false; readonly reason: "nothing_to_undo" | "hash_differs" | "read_only" | "running" };

export interface CommitmentRequest {
  readonly action: CommitmentAction;
  readonly key?: string;
  readonly messageId?: string;
  /** New words for reword and add; for retire an optional reason. */
  readonly text?: string;
}

export type CommitmentOutcome =
  | { readonly ok: true; readonly generation?: number }
  | { readonly ok: false; readonly failures: readonly string[] };

export interface ChatRequest {
  readonly model: ChatModel;
  readonly text: string;
  /** Slash command of another participant or tool whose arguments `text` is. */
  readonly command?: string;
  /** Put before the user message as messages of kind `attachment`. */
  readonly attachments: readonly { readonly name: string; readonly content: readonly Part[] }[];
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
  readonly onReasoning?: (text: string) => void;
  /** Who writes the capsule where window pressure asks for one; default the model of the chat. */
  readonly summarizer?: ChatModel;
  /**
   * Asked where the trigger line is reached and the setting is `ask`: whether window pressure may act in this
   * workspace.
   */
  readonly mayCompact?: (meter: MeterReading) => Promise<boolean>;
  readonly onPhase?: (phase: CompactionPhase) => void;
  /** A compaction that happened before the request was sent, with its end state. */
  readonly onCompaction?: (outcome: CompactOutcome) => void;
}

export interface ChatOutcome {
  readonly state: "complete" | "cancelled" | "provider_error" | "stopped";
  readonly error?: { readonly code: string; readonly message: string };
  /** With `stopped`: the run that could not make room. */
  readonly compaction?: CompactOutcome;
  /** Id of the last message that the exchange left in the session. */
  readonly lastMessageId: string | undefined;
  readonly usage?: Usage;
}

export interface LiveSessionOptions {
  readonly file: OpenSession;
  /** Read again whenever a run or a reading needs it. */
  readonly settings: () => EngineSettings;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Lets the event loop turn. */
  readonly pause: () => Promise<void>;
}

/** One live session: the only owner of its context, its runs and its writes. */
export interface LiveSession {
  readonly id: string;
  readonly file: OpenSession;
  /** What is sent now, and all that follows from the branch; a new object whenever it changed. */
  readonly context: ContextState;
  readonly meter: MeterReading;
  onDidChange(listener: () => void): { dispose(): void };
  /** The model whose window and count rule the meter from now on. */
  setModel(model: ChatModel | undefined): Promise<void>;
  settingsChanged(): void;
  preview(request: {
    readonly model: ChatModel | undefined;
    readonly focus?: string;
  }): Promise<CompactionPreview>;
  compact(request: CompactRequest): Promise<CompactOutcome>;
  undo(): Promise<UndoOutcome>;
  changeCommitment(request: CommitmentRequest): Promise<CommitmentOutcome>;
  /** Sends the session's context with the new messages, compacting first where window pressure says so. */
  chat(request: ChatRequest): Promise<ChatOutcome>;
  /** The branch continues after this message; null = from the beginning. Nothing is lost. */
  branchFrom(messageId: string | null): Promise<void>;
  /** Lets window pressure act by itself again after an undo. */
  allowAutomatic(): Promise<void>;
  /** The original of an evicted or summarized segment, hash checked. */
  original(
    segmentId: string,
  ): Promise<{ readonly text: string; readonly digest: string; readonly message: Message }>;
  dispose(): Promise<void>;
}
