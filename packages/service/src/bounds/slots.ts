/** Limits the number of tasks that run at the same time; others wait in the order in which they arrived. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs a task as soon as there is a slot, and settles with its result. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot goes straight to the next waiting task, so that no new one can take it first.
      if (next) next();
      else this.#free++;
    }
  }
}
