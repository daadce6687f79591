/** Tasks one after another, in the order in which they were given. */
export class TaskQueue {
  #underWay: Promise<void> | undefined;

  get isIdle(): boolean {
    return this.#underWay === undefined;
  }

  /** Begins at once where nothing is under way. A task that fails stops none after it. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#underWay === undefined ? task() : this.#underWay.then(task);
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    const underWay = settled.then(() => {
      if (this.#underWay === underWay) this.#underWay = undefined;
    });
    this.#underWay = underWay;
    return run;
  }
}
