import { LabelCells, type Labels } from './label-cells.ts';
import type { Metric, Sample } from './metric.ts';

/** A count that only grows, by the values of its labels. */
export interface CounterMetric<Label extends string> {
  /** Adds to the count of these labels, 1 by default; 0 makes the labels known. */
  inc(labels: Labels<Label>, by?: number): void;
}

/** Counts in plain cells, which a scrape reads. */
export class Counter<Label extends string> implements Metric, CounterMetric<Label> {
  readonly type = 'counter';
  readonly name: string;
  readonly help: string;
  readonly #cells: LabelCells<Label, { count: number }>;

  constructor(name: string, help: string, labelNames: readonly Label[]) {
    this.name = name;
    this.help = help;
    this.#cells = new LabelCells(labelNames, () => ({ count: 0 }));
  }

  inc(labels: Labels<Label>, by = 1): void {
    this.#cells.of(labels).count += by;
  }

  *samples(): Iterable<Sample> {
    for (const [labels, { count }] of this.#cells.entries()) yield { suffix: '', labels, value: count };
  }
}
