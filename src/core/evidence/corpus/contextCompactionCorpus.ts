import type { ContextCompactionFixture } from "../fixture.ts";
import { changedDecisions } from "./changedDecisions.ts";
import { delayedConstraints } from "./delayedConstraints.ts";
import { exactPathsAndCommands } from "./exactPathsAndCommands.ts";
import { interruptedWork } from "./interruptedWork.ts";
import { lookAlikeFacts } from "./lookAlikeFacts.ts";
import { parallelTools } from "./parallelTools.ts";
import { quotedRules } from "./quotedRules.ts";
import { retraction } from "./retraction.ts";
import { toolInjection } from "./toolInjection.ts";
import { unicodeLookAlikes } from "./unicodeLookAlikes.ts";

/** The shipped fixtures, made up by hand: each speaks of one way in which a compaction goes wrong. */
export const contextCompactionCorpus: readonly ContextCompactionFixture[] = [
  delayedConstraints,
  changedDecisions,
  exactPathsAndCommands,
  toolInjection,
  interruptedWork,
  parallelTools,
  lookAlikeFacts,
  retraction,
  unicodeLookAlikes,
  quotedRules,
];
