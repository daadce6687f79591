import type { ContextCompactionFixture } from "../fixture.ts";
import { answers, commitment, fixtureOf, says } from "./fixtureBuilder.ts";
import { listing, table, testLog } from "./outputs.ts";

/** Latin and Cyrillic letters that look the same, written as escapes so that no editor can mend them. */
const LATIN = "The allowed host must be exactly p\u0061yload.example, in Latin letters.";
const CYRILLIC = "Never allow p\u0430yload.example, whose second letter is Cyrillic.";
const COMPOSED = "The folder must be named Ren\u00e9e (one code point for the accented e).";
const DECOMPOSED = "The backup folder must be named Rene\u0301e (two code points for the accented e).";
const WIDE = "Ticket numbers must keep full-width digits, as in \uff11\uff12\uff13-\u7532.";
const JOINED =
  "The team sign must stay \u{1f469}\u200d\u{1f52c} with its joiner, and Arabic names stay as \u0645\u0631\u064a\u0645.";

/** Texts that look alike and differ in code points: normalizing one of them loses it. */
export const unicodeLookAlikes: ContextCompactionFixture = fixtureOf("unicode-look-alikes", [
  {
    steps: [
      says("Harden the host list.", LATIN),
      answers("", { tool: "read_file", input: { path: "hosts.csv" }, output: table("host", 80) }),
      says(CYRILLIC),
      answers("Both are in the test now.", {
        tool: "run",
        input: { command: "npm test -- hosts" },
        output: testLog("hosts", 50),
      }),
    ],
    adds: [commitment("constraint", LATIN), commitment("constraint", CYRILLIC)],
  },
  {
    steps: [
      says(COMPOSED),
      answers("", { tool: "list", input: { path: "." }, output: listing("Ren\u00e9e", 60) }),
      says(DECOMPOSED),
      answers("", { tool: "list", input: { path: "backup" }, output: listing("Rene\u0301e", 50) }),
    ],
    adds: [commitment("constraint", COMPOSED), commitment("constraint", DECOMPOSED)],
  },
  {
    steps: [
      says(`${WIDE}\n${JOINED}`),
      answers("", {
        tool: "run",
        input: { command: "npm test -- text" },
        output: testLog("\u6587\u5b57", 80),
      }),
      answers("All texts are kept as they are."),
    ],
    adds: [commitment("constraint", WIDE), commitment("constraint", JOINED)],
  },
]);
