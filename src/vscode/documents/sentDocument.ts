import { l10n } from "vscode";
import type { Message } from "../../core/messages.ts";
import type { ContextState } from "../../core/projection.ts";
import type { EvictedPart } from "../../core/records.ts";
import type { Slices } from "../slices.ts";
import type { Piece } from "./documentPage.ts";
import { PagedDocument, pieceText } from "./pagedDocument.ts";
import { COMPARED_PART_LIMIT_BYTES, PART_LIMIT_BYTES } from "./pageLayout.ts";
import { messageSize, renderMessage } from "./renderMessage.ts";
import type { TranscriptRecord } from "./transcriptRecord.ts";

export interface SentInput {
  /** In the order in which the request has them; every call answered. */
  readonly messages: readonly Message[];
  readonly context: Pick<ContextState, "evicted" | "pinnedIds" | "rootId" | "summary">;
  /** Where numbers and times come from. */
  readonly record: TranscriptRecord;
  /** The first line of the document, and one of facts below it. */
  readonly heading: readonly string[];
  /** Below the last message. */
  readonly end?: readonly string[];
  /** It stands beside this page of another document, and is one page itself. */
  readonly beside?: number;
  /** It is made to be compared: long parts are cut short. */
  readonly abridged?: boolean;
}

/** A list of messages as one request has them, in pages: as sent now, or before or after a run. */
export function sentDocument(input: SentInput): PagedDocument {
  const { messages, context, record } = input;
  const partLimitBytes = input.abridged === true ? COMPARED_PART_LIMIT_BYTES : PART_LIMIT_BYTES;
  return new PagedDocument({
    length: messages.length,
    size: (position) => messageSize(messages[position] as Message),
    signature: (position) => {
      const message = messages[position] as Message;
      return `${message.id}${pieceText(sentMarks(message, input))}${identity(message)}`;
    },
    render: (page, block) => {
      const message = messages[block.item] as Message;
      const item = record.message(message.id);
      const known = item?.message.id === message.id ? item : undefined;
      renderMessage(
        page,
        {
          number: known?.number,
          message,
          ...(known === undefined ? {} : { at: known.at }),
          ...(known?.modelId === undefined ? {} : { modelId: known.modelId }),
          ...(known?.usageBasis === undefined ? {} : { usageBasis: known.usageBasis }),
          marks: sentMarks(message, input),
          evicted: (segmentId: string): EvictedPart | undefined => context.evicted.get(segmentId),
          asSent: true,
          partLimitBytes,
        },
        { from: block.partFrom, until: block.partUntil },
      );
    },
    heading: (page) => {
      const [first = "", ...rest] = input.heading;
      const shown = input.beside ?? page;
      if (shown === 1) return [[first], ...rest.map((line) => [line])];
      return [[l10n.t("{0}, page {1}", first, shown)]];
    },
    end: () => [l10n.t("End of the context."), ...(input.end ?? [])],
    hasPages: input.beside === undefined,
    partLimitBytes,
  });
}

function sentMarks(message: Message, { context, record }: SentInput): Piece[] {
  const marks: Piece[] = [];
  if (message.kind === "capsule" && context.summary !== undefined) {
    const { generation } = context.summary;
    const tooltip = l10n.t("Open the capsule of generation {0}", generation);
    const text = l10n.t("generation {0}", generation);
    marks.push({ text, target: { to: "generation", messageId: message.id }, tooltip });
    return marks;
  }
  const item = record.message(message.id);
  if (item?.message.id !== message.id) marks.push(l10n.t("only in the request"));
  if (item?.statement !== undefined) marks.push(l10n.t("stated by hand"));
  if (item?.command !== undefined) marks.push(l10n.t("command"));
  if (context.rootId === message.id) marks.push(l10n.t("first request"));
  if (context.pinnedIds.has(message.id)) marks.push(l10n.t("pinned"));
  return marks;
}

let identities = 0;
const known = new WeakMap<Message, number>();

/** A number for each message object: an evicted message is another object than the one it was. */
function identity(message: Message): number {
  let number = known.get(message);
  if (number === undefined) {
    identities += 1;
    number = identities;
    known.set(message, number);
  }
  return number;
}

export interface BesideOptions {
  readonly page: number;
  readonly lastPage: number;
  readonly pageOf: (messageId: string) => number | undefined;
}

/**
 * The messages of `after` that belong beside a page of `before`, given the page of each message before: a message that
 * is new stands with the one that follows it, and at the end with the last page.
 */
export async function besidePage(
  after: readonly Message[],
  { page, lastPage, pageOf }: BesideOptions,
  slices: Slices,
): Promise<Message[]> {
  const chosen: Message[] = [];
  let follower = lastPage;
  for (let at = after.length - 1; at >= 0; at -= 1) {
    const message = after[at] as Message;
    follower = pageOf(message.id) ?? follower;
    if (follower === page) chosen.push(message);
    const turn = slices.pause();
    if (turn !== undefined) await turn;
  }
  return chosen.reverse();
}
