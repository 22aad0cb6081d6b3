import type { Registry } from 'prom-client';
import {
  Counter,
  type CounterMetric,
  Histogram,
  type HistogramMetric,
  type Metric,
  renderMetric,
  type Sample,
} from './metric.ts';

/** The body of a response to a scrape. */
export interface CollectedMetrics {
  /** The metrics in the Prometheus text format. */
  readonly text: string;
  readonly contentType: string;
}

/** A metric in a service's table: a histogram if it has buckets, otherwise a counter. */
export interface MeasureEntry {
  readonly help: string;
  readonly labels?: readonly string[];
  /** Upper bounds, ascending. */
  readonly buckets?: readonly number[];
  /**
   * Values of the only label that appear from the start: an alert on a rate needs the zero before the first
   * count.
   */
  readonly known?: readonly string[];
}

/** The metrics of a table, by its names. */
export type Measures<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly buckets: readonly number[] }
    ? HistogramMetric<LabelOf<Table[Name]>>
    : CounterMetric<LabelOf<Table[Name]>>;
};

type LabelOf<Entry> = Entry extends { readonly labels: readonly (infer Label extends string)[] }
  ? Label
  : never;

/**
 * A value that is read when metrics are collected: its help and its reader. With a label, the reader returns
 * one value for each value of the label.
 */
export type WatchedEntry =
  | readonly [help: string, read: () => number]
  | readonly [help: string, read: () => Readonly<Record<string, number>>, label: string];

/**
 * The metrics of one service, separate from any other in the process: Node's process metrics, the running
 * version (`PREFIX_build_info`), and the tables that the service adds. Names in tables omit the prefix and
 * its underscore.
 *
 * Adding a name twice throws. Counting takes a few additions; everything else happens when metrics are
 * collected.
 */
export class MetricsRegistry {
  readonly #prefix: string;
  readonly #metrics = new Map<string, Metric>();
  #process: Promise<CollectProcessMetrics> | undefined;

  /** `prefix` is a name such as `winnow_selector`. */
  constructor(prefix: string, version: string) {
    this.#prefix = prefix;
    this.#add({
      name: `${prefix}_build_info`,
      help: 'Always 1; the label says which version runs.',
      type: 'gauge',
      samples: () => [{ suffix: '', labels: [['version', version]], value: 1 }],
    });
  }

  /** Measures the process from now on, not only after the first collection. */
  watchProcess(): void {
    this.#process ??= startProcessMetrics();
  }

  /** Adds the counters and histograms of a table; `prefix` replaces that of the service. */
  add<const Table extends Readonly<Record<string, MeasureEntry>>>(
    table: Table,
    prefix = this.#prefix,
  ): Measures<Table> {
    const measures = Object.entries(table).map(([name, { help, labels = [], buckets, known = [] }]) => {
      const full = `${prefix}_${name}`;
      if (buckets) return [name, this.#add(new Histogram(full, help, buckets, labels))];
      const counter = this.#add(new Counter(full, help, labels));
      for (const value of known) counter.inc({ [labels[0]!]: value }, 0);
      return [name, counter];
    });
    return Object.fromEntries(measures);
  }

  /** Adds values that other code keeps: counters if the name ends with `_total`, otherwise gauges. */
  watch(table: Readonly<Record<string, WatchedEntry>>): void {
    for (const [name, [help, read, label = '']] of Object.entries(table)) {
      this.#add({
        name: `${this.#prefix}_${name}`,
        help,
        type: name.endsWith('_total') ? 'counter' : 'gauge',
        samples: () => samplesOf(read(), label),
      });
    }
  }

  async collect(): Promise<CollectedMetrics> {
    this.watchProcess();
    const collectProcess = await this.#process!;
    const metrics = [await collectProcess(), ...[...this.#metrics.values()].map(renderMetric)];
    return { text: `${metrics.join('\n\n')}\n`, contentType: METRICS_CONTENT_TYPE };
  }

  #add<Added extends Metric>(metric: Added): Added {
    if (this.#metrics.has(metric.name)) throw new Error(`There already is a metric ${metric.name}.`);
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}

function samplesOf(values: number | Readonly<Record<string, number>>, label: string): Sample[] {
  if (typeof values === 'number') return [{ suffix: '', labels: [], value: values }];
  return Object.entries(values).map(([name, value]) => ({ suffix: '', labels: [[label, name]], value }));
}

/** Collects Node's process metrics in the Prometheus text format, without a line feed at the end. */
export type CollectProcessMetrics = () => Promise<string>;

/**
 * Begins to measure the process: the lag of its event loop and its garbage collections.
 *
 * The library is loaded here, because loading takes a fifth of a service's start and the first request does
 * not need it.
 */
export async function startProcessMetrics(): Promise<CollectProcessMetrics> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const register: Registry = new Registry();
  collectDefaultMetrics({ register });
  return async () => (await register.metrics()).trimEnd();
}

/** The content type of the text format. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
