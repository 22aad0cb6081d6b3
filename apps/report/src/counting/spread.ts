import { build } from 'hdr-histogram-js';

/** Percentiles, exact to three digits, and the exact mean. Everything is 0 when `count` is. */
export interface Spread {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The spread of no values. */
export const NO_VALUES: Spread = { count: 0, mean: 0, p50: 0, p95: 0, p99: 0, max: 0 };

/** With three digits, the histogram always stays below 200 KiB. */
const SIGNIFICANT_DIGITS = 3;
/** An hour in microseconds, the upper bound of values. */
const HIGHEST = 3_600_000_000;

/** Gathers values in memory that does not grow with their number. */
export class SpreadTally {
  readonly #histogram = build({
    autoResize: true,
    highestTrackableValue: 2,
    numberOfSignificantValueDigits: SIGNIFICANT_DIGITS,
  });
  readonly #scale: number;
  #sum = 0;
  #count = 0;
  #max = 0;

  /** `scale` is the number of steps per unit: 1 for counts, 1,000 for milliseconds. */
  constructor(scale: number) {
    this.#scale = scale;
  }

  /** Adds a value, which must not be negative. */
  add(value: number): void {
    this.#histogram.recordValue(Math.min(HIGHEST, Math.round(value * this.#scale)));
    this.#sum += value;
    this.#count++;
    this.#max = Math.max(this.#max, value);
  }

  result(): Spread {
    if (this.#count === 0) return NO_VALUES;
    // A percentile is the upper end of its class, which may be slightly above the largest value.
    const at = (percentile: number) =>
      Math.min(this.#max, this.#histogram.getValueAtPercentile(percentile) / this.#scale);
    return {
      count: this.#count,
      mean: this.#sum / this.#count,
      p50: at(50),
      p95: at(95),
      p99: at(99),
      max: this.#max,
    };
  }
}

/** A tally of milliseconds, precise to the microsecond. */
export function millisecondsTally(): SpreadTally {
  return new SpreadTally(1_000);
}

/** A tally of numbers of things. */
export function countsTally(): SpreadTally {
  return new SpreadTally(1);
}
