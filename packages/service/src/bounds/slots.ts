/** Lets so many pieces of work run at the same time; the others wait for their turn, in the order in which they came. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs some work as soon as there is a slot, and settles as it does. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The slot goes straight to the next one, so that nobody who comes in between takes it.
      if (next) next();
      else this.#free++;
    }
  }
}
