/** Id of the offline summarizer among all models, apart from its code: many ask for the id, few for the code. */
export const OFFLINE_MODEL_ID = "context-capsule/offline";
