import type { MessageKind, Part, Role, Usage } from "../../core/messages.ts";
import type { ImportedBoundary, ImportedMetadata, ImportedUnknown } from "./importedSession.ts";
import type { LineText } from "./lineText.ts";

export type LineKind = "message" | "sidechain" | "outside" | "boundary" | "metadata" | "unknown";

/** A message that later lines may still add to. */
export interface DraftMessage {
  type: "message" | "sidechain" | "outside";
  readonly line: number;
  readonly at?: number;
  readonly message: { id: string; role: Role; content: Part[]; usage?: Usage; kind?: MessageKind };
  command?: string;
  stopReason?: string;
  errorText?: string;
  linkedCallId?: string;
  agentId?: string;
  reason?: "rewound" | "compacted";
}

export type DraftBoundary = { -readonly [K in keyof ImportedBoundary]: ImportedBoundary[K] };

export type DraftRecord = DraftMessage | DraftBoundary | ImportedMetadata | ImportedUnknown;

export interface NewMessage {
  readonly type?: "message" | "sidechain" | "outside";
  readonly line: number;
  readonly at?: number | undefined;
  /** The file's own id; without one the message is named after its line. */
  readonly id: string | undefined;
  readonly role: Role;
  readonly content: Part[];
  readonly kind?: MessageKind | undefined;
  readonly usage?: Usage | undefined;
  readonly command?: string | undefined;
  readonly stopReason?: string | undefined;
  readonly errorText?: string | undefined;
}

/** What a reader of one format builds line by line; `finishImport` makes the session of it. */
export class SessionDraft {
  records: DraftRecord[] = [];
  readonly lineCounts: Record<LineKind, number> = {
    message: 0,
    sidechain: 0,
    outside: 0,
    boundary: 0,
    metadata: 0,
    unknown: 0,
  };
  sourceSessionId: string | undefined;
  title: string | undefined;
  model: string | undefined;
  createdAt: number | undefined;
  abortedTurns = 0;
  /** How often each remarkable thing was met; see `importNotes`. */
  readonly met = new Map<string, number>();
  readonly #boundaryLines = new Map<DraftBoundary, LineText>();
  readonly #ids = new Set<string>();
  /** What a line is called in ids: "line", in a JSON document "message". */
  readonly unit: "line" | "message";

  constructor(unit: "line" | "message" = "line") {
    this.unit = unit;
  }

  /** An id nobody has yet: the one asked for, else one made from it and the line. */
  takeId(preferred: string | undefined, line: number): string {
    const place = `${this.unit}-${line}`;
    const wanted = preferred ?? place;
    let id = wanted;
    for (let copy = 1; this.#ids.has(id); copy += 1) {
      id = copy === 1 && preferred !== undefined ? `${wanted}@${place}` : `${wanted}@${place}.${copy}`;
    }
    this.#ids.add(id);
    return id;
  }

  /** Makes a message; the caller puts it where it belongs. */
  draftMessage(fresh: NewMessage): DraftMessage {
    const { type = "message", line, at, role, content, kind, usage, command, stopReason, errorText } = fresh;
    if (at !== undefined) this.sawTime(at);
    return {
      type,
      line,
      ...(at !== undefined && { at }),
      message: {
        id: this.takeId(fresh.id, line),
        role,
        content,
        ...(usage !== undefined && { usage }),
        ...(kind !== undefined && { kind }),
      },
      ...(command !== undefined && { command }),
      ...(stopReason !== undefined && { stopReason }),
      ...(errorText !== undefined && { errorText }),
    };
  }

  addMessage(fresh: NewMessage): DraftMessage {
    const draft = this.draftMessage(fresh);
    this.records.push(draft);
    return draft;
  }

  addMetadata(line: LineText, recordType: string): void {
    this.records.push({ type: "metadata", line: line.number, recordType, text: line.text });
  }

  addUnknown(line: LineText, reason: string): void {
    this.records.push({
      type: "unknown",
      line: line.number,
      text: line.text,
      reason,
      ...(line.bytesBase64 !== undefined && { bytesBase64: line.bytesBase64 }),
    });
  }

  addBoundary(boundary: DraftBoundary, line: LineText): void {
    this.records.push(boundary);
    this.#boundaryLines.set(boundary, line);
  }

  /** Keeps the line of a compaction that does not rule, as what it is. */
  dropBoundary(boundary: DraftBoundary, recordType: string): void {
    const index = this.records.lastIndexOf(boundary);
    const line = this.#boundaryLines.get(boundary);
    if (index < 0 || line === undefined) return;
    this.records[index] = { type: "metadata", line: line.number, recordType, text: line.text };
    this.lineCounts.boundary -= 1;
    this.lineCounts.metadata += 1;
    this.meet(recordType);
  }

  sawTime(at: number): void {
    if (this.createdAt === undefined || at < this.createdAt) this.createdAt = at;
  }

  meet(thing: string, times = 1): void {
    this.met.set(thing, (this.met.get(thing) ?? 0) + times);
  }
}

export function isDraftMessage(record: DraftRecord): record is DraftMessage {
  return record.type === "message" || record.type === "sidechain" || record.type === "outside";
}

export function isContextMessage(record: DraftRecord): record is DraftMessage {
  return record.type === "message";
}

/**
 * Puts the ruling boundary (and its summary, if it has one) before what it kept. Earlier boundaries further on go
 * before it, so that it stays the last one.
 */
export function moveBoundary(
  records: readonly DraftRecord[],
  moved: readonly DraftRecord[],
  firstKept: DraftRecord,
): DraftRecord[] {
  const rest = records.filter((record) => !moved.includes(record));
  const at = rest.indexOf(firstKept);
  const kept = rest.slice(at);
  return [
    ...rest.slice(0, at),
    ...kept.filter(({ type }) => type === "boundary"),
    ...moved,
    ...kept.filter(({ type }) => type !== "boundary"),
  ];
}

export function setOutside(message: DraftMessage, reason: "rewound" | "compacted"): void {
  message.type = "outside";
  message.reason = reason;
}

/** A reader of one format. */
export interface FormatReader {
  /** Takes one value of the file and says what its line was. */
  accept(value: unknown, line: LineText): LineKind;
  /** Everything is read: order, link and drop what only the whole file tells. */
  finish(): Promise<void>;
}
