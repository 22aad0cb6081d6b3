import { LabelCells, type Labels } from './label-cells.ts';
import type { Metric, Sample } from './metric.ts';

/** The number of values in each bucket, by the values of its labels. */
export interface HistogramMetric<Label extends string> {
  observe(labels: Labels<Label>, value: number): void;
}

/** Counts values in plain cells, which a scrape reads. */
export class Histogram<Label extends string> implements Metric, HistogramMetric<Label> {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #cells: LabelCells<Label, HistogramCell>;

  /** `bounds` are the upper bounds of the buckets, ascending. */
  constructor(name: string, help: string, bounds: readonly number[], labelNames: readonly Label[]) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
    this.#cells = new LabelCells(labelNames, () => new HistogramCell(bounds));
  }

  observe(labels: Labels<Label>, value: number): void {
    this.#cells.of(labels).add(value);
  }

  *samples(): Iterable<Sample> {
    for (const [labels, { counts, count, sum }] of this.#cells.entries()) {
      let below = 0;
      for (const [at, bound] of this.#bounds.entries()) {
        below += counts[at]!;
        yield { suffix: '_bucket', labels: [['le', bound], ...labels], value: below };
      }
      yield { suffix: '_bucket', labels: [['le', '+Inf'], ...labels], value: count };
      yield { suffix: '_sum', labels, value: sum };
      yield { suffix: '_count', labels, value: count };
    }
  }
}

class HistogramCell {
  readonly #bounds: readonly number[];
  /** The counts of the single buckets; values above all bounds are in none. */
  readonly counts: number[];
  count = 0;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = bounds.map(() => 0);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > bounds[at]!) at++;
    if (at < bounds.length) this.counts[at]!++;
    this.count++;
    this.sum += value;
  }
}
