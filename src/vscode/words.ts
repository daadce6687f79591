/** The one place where states, reasons, codes and numbers become words for a person. */
export * from "./words/endStateWords.ts";
export * from "./words/errorWords.ts";
export * from "./words/failureWords.ts";
export * from "./words/nextStep.ts";
export * from "./words/numberWords.ts";
