/** Limits concurrent calls. Further calls are refused at once, as a server may take any time to respond. */
export class CallSlots {
  readonly #limit: number;
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get running(): number {
    return this.#running;
  }

  /** Runs a call and settles as it does; resolves with `refused` when all slots are taken. */
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
