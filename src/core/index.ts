/** The public core (contract section 1), built to dist/compaction.mjs with its types. */
export * from "./capsule/contextSummary.ts";
export * from "./errors.ts";
export * from "./messages.ts";
export * from "./model.ts";
export * from "./plan.ts";
export * from "./policy.ts";
