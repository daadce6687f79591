import type { RetiredCommitment } from "../compactionOutcome.ts";
import type { FloorPart } from "../plan.ts";
import type { CompactionReceipt } from "../records.ts";
import type { Completed } from "../replacement.ts";

/** What the rungs of a run have done so far, as its outcome will tell it. */
export class RungsDone {
  readonly #receipts: CompactionReceipt[] = [];
  readonly #retired: RetiredCommitment[] = [];
  readonly #carriedOutKeys: string[] = [];
  #evictedCount = 0;
  #summaryCount = 0;
  #floorParts: readonly FloorPart[] = [];

  get receipts(): readonly CompactionReceipt[] {
    return this.#receipts;
  }

  get retired(): readonly RetiredCommitment[] {
    return this.#retired;
  }

  get carriedOutKeys(): readonly string[] {
    return this.#carriedOutKeys;
  }

  get evictedCount(): number {
    return this.#evictedCount;
  }

  get summaryCount(): number {
    return this.#summaryCount;
  }

  /** What cannot shrink, where the run stopped at it. */
  get floorParts(): readonly FloorPart[] {
    return this.#floorParts;
  }

  evicted(receipt: CompactionReceipt, count: number): void {
    this.#receipts.push(receipt);
    this.#evictedCount = count;
  }

  summarized(receipt: CompactionReceipt, { retired, carriedOut }: Completed): void {
    this.#receipts.push(receipt);
    this.#summaryCount += 1;
    this.#retired.push(...retired);
    this.#carriedOutKeys.push(...carriedOut.map(({ key }) => key));
  }

  failed(receipt: CompactionReceipt): void {
    this.#receipts.push(receipt);
  }

  stoppedAtFloor(parts: readonly FloorPart[]): void {
    this.#floorParts = parts;
  }
}
