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

/** The prefix of the metrics that several services have. Each sample carries the label `service`. */
export const SHARED = 'winnow';

/**
 * The metrics of one service, separate from any other in the process: Node's process metrics, the running
 * version (`winnow_build_info`), and the tables that the service adds. Names in tables omit the prefix, which
 * is `winnow_SERVICE_`, or `winnow_` for metrics that several services have: these carry the label `service`.
 *
 * Adding a name twice throws. Counting takes a few additions; everything else happens when metrics are
 * collected.
 */
export class MetricsRegistry {
  readonly #service: string;
  readonly #metrics = new Map<string, { readonly metric: Metric; readonly prefix: string }>();
  #process: Promise<CollectProcessMetrics> | undefined;

  /** `service` is a name such as `selector`. */
  constructor(service: string, version: string) {
    this.#service = service;
    const help = 'Always 1; the label says which version runs.';
    this.watch({ build_info: [help, () => ({ [version]: 1 }), 'version'] }, SHARED);
  }

  /** Measures the process from now on, not only after the first collection. */
  watchProcess(): void {
    this.#process ??= startProcessMetrics();
  }

  /** Adds the counters and histograms of a table; `prefix` replaces that of the service. */
  add<const Table extends Readonly<Record<string, MeasureEntry>>>(
    table: Table,
    prefix = `winnow_${this.#service}`,
  ): Measures<Table> {
    const measures = Object.entries(table).map(([name, { help, labels = [], buckets, known = [] }]) => {
      const full = `${prefix}_${name}`;
      if (buckets) return [name, this.#add(new Histogram(full, help, buckets, labels), prefix)];
      const counter = this.#add(new Counter(full, help, labels), prefix);
      for (const value of known) counter.inc({ [labels[0]!]: value }, 0);
      return [name, counter];
    });
    return Object.fromEntries(measures);
  }

  /**
   * Adds values that other code keeps: counters if the name ends with `_total`, otherwise gauges; `prefix`
   * replaces that of the service.
   */
  watch(table: Readonly<Record<string, WatchedEntry>>, prefix = `winnow_${this.#service}`): void {
    for (const [name, [help, read, label = '']] of Object.entries(table)) {
      const type = name.endsWith('_total') ? 'counter' : 'gauge';
      this.#add({ name: `${prefix}_${name}`, help, type, samples: () => samplesOf(read(), label) }, prefix);
    }
  }

  async collect(): Promise<CollectedMetrics> {
    this.watchProcess();
    const collectProcess = await this.#process!;
    const metrics = [await collectProcess()];
    for (const { metric, prefix } of this.#metrics.values())
      metrics.push(renderMetric(metric, prefix === SHARED ? [['service', this.#service]] : []));
    return { text: `${metrics.join('\n\n')}\n`, contentType: METRICS_CONTENT_TYPE };
  }

  #add<Added extends Metric>(metric: Added, prefix: string): Added {
    if (this.#metrics.has(metric.name)) throw new Error(`There already is a metric ${metric.name}.`);
    this.#metrics.set(metric.name, { metric, prefix });
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
