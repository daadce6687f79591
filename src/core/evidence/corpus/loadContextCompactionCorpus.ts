import type { ContextCompactionFixture } from "../fixture.ts";

/** The shipped corpus, a part of its own that is read when first asked for. */
export async function loadContextCompactionCorpus(): Promise<readonly ContextCompactionFixture[]> {
  const { contextCompactionCorpus } = await import("./contextCompactionCorpus.ts");
  return contextCompactionCorpus;
}
