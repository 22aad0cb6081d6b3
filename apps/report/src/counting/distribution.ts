/** The number of values nearest to each of some evenly spaced points. */
export interface Distribution {
  readonly count: number;
  /** Exact; 0 when `count` is. */
  readonly mean: number;
  readonly points: readonly { readonly value: number; readonly count: number }[];
}

/** Gathers values between two ends, each counted at the nearest point. */
export class DistributionTally {
  readonly #low: number;
  readonly #step: number;
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** `points` points from `low` to `high`, both included. */
  constructor(low: number, high: number, points: number) {
    this.#low = low;
    this.#step = (high - low) / (points - 1);
    this.#counts = new Array<number>(points).fill(0);
  }

  add(value: number): void {
    const index = Math.round((value - this.#low) / this.#step);
    const nearest = Math.min(this.#counts.length - 1, Math.max(0, index));
    this.#counts[nearest]! += 1;
    this.#sum += value;
    this.#count++;
  }

  result(): Distribution {
    const points = this.#counts.map((count, index) => ({ value: this.#valueAt(index), count }));
    return { count: this.#count, mean: this.#count === 0 ? 0 : this.#sum / this.#count, points };
  }

  /** Rounded, so that 0.1 steps do not end in 0.30000000000000004. */
  #valueAt(index: number): number {
    return Number((this.#low + index * this.#step).toFixed(6));
  }
}
