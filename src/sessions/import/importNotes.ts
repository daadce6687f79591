/** Names of remarkable things that readers count with `SessionDraft.meet`. */
export const REPEATED_LINE = "repeated line";
export const REWOUND_COMPACTION = "rewound compaction";
export const UNFINISHED_COMPACTION = "unfinished compaction";
export const NUL_BYTES = "NUL bytes";
export const NOT_UTF8 = "not UTF-8";
export const CUT_DOCUMENT = "cut document";
const FOREIGN_PART = "foreign part ";

export function foreignPart(type: string): string {
  return `${FOREIGN_PART}${type}`;
}

/** One sentence for each thing that a person should know about an import. */
export function importNotes(met: ReadonlyMap<string, number>): string[] {
  return [...met].map(([thing, times]) => noteOn(thing, times));
}

function noteOn(thing: string, times: number): string {
  const lines = times === 1 ? "1 line" : `${times} lines`;
  switch (thing) {
    case REPEATED_LINE:
      return `${lines} repeated an earlier one; kept beside the conversation, not counted twice.`;
    case REWOUND_COMPACTION:
      return `${times === 1 ? "A compaction" : `${times} compactions`} of a branch that was left has no effect.`;
    case UNFINISHED_COMPACTION:
      return "The file ends in a compaction without a summary; the context goes on as before it.";
    case NUL_BYTES:
      return `${lines} held NUL bytes around its record, as a crash leaves them; the record was read.`;
    case NOT_UTF8:
      return `${lines} held bytes that are not UTF-8; they are shown as replacement characters.`;
    case CUT_DOCUMENT:
      return "The file is cut off; every complete message before the cut was read.";
    default:
      return `${times === 1 ? "1 part" : `${times} parts`} of type "${thing.slice(FOREIGN_PART.length)}" ${times === 1 ? "stands" : "stand"} as text.`;
  }
}
