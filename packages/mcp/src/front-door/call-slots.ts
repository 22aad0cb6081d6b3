/** Lets so many calls run at the same time; further ones are refused at once, as nobody knows when a server answers. */
export class CallSlots {
  readonly #limit: number;
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** Runs a call and settles as it does, or gives what stands in for it when there is no room. */
  async run<Result>(call: () => Promise<Result>, refused: Result): Promise<Result> {
    if (this.#running >= this.#limit) return refused;
    this.#running++;
    try {
      return await call();
    } finally {
      this.#running--;
    }
  }
}
