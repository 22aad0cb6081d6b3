import { Counter, type CounterMetric } from './counter.ts';
import { Histogram, type HistogramMetric } from './histogram.ts';
import { type Metric, renderMetric, type Sample } from './metric.ts';
import { type CollectProcessMetrics, METRICS_CONTENT_TYPE, startProcessMetrics } from './process-metrics.ts';

/** What an answer to a scrape is made of. */
export interface CollectedMetrics {
  /** In the Prometheus text format. */
  readonly text: string;
  readonly contentType: string;
}

/**
 * The metrics of one service, apart from those of any other in the process: what Node tells of the process itself, the version that runs
 * (`<prefix>_build_info`), and what the service adds.
 *
 * The names that `counter` and the others take have the service's prefix already. Adding a name twice throws. Counting is a few additions;
 * everything else is done when metrics are collected.
 */
export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric>();
  #process: Promise<CollectProcessMetrics> | undefined;

  /** `prefix` is such as `winnow_selector`. */
  constructor(prefix: string, version: string) {
    this.#add({
      name: `${prefix}_build_info`,
      help: 'Always 1; the label says which version runs.',
      type: 'gauge',
      samples: () => [{ suffix: '', labels: [['version', version]], value: 1 }],
    });
  }

  /** Measures the process from now on, not only from the first time that metrics are collected. */
  watchProcess(): void {
    this.#process ??= startProcessMetrics();
  }

  counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): CounterMetric<Label> {
    return this.#add(new Counter(name, help, labelNames));
  }

  histogram<Label extends string>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly Label[] = [],
  ): HistogramMetric<Label> {
    return this.#add(new Histogram(name, help, buckets, labelNames));
  }

  /** A value that goes up and down, read when metrics are collected. */
  gauge(name: string, help: string, read: () => number): void {
    this.#add({ name, help, type: 'gauge', samples: () => [sampleOf(read())] });
  }

  /** A count that something else keeps, read when metrics are collected. */
  total(name: string, help: string, read: () => number): void {
    this.#add({ name, help, type: 'counter', samples: () => [sampleOf(read())] });
  }

  /** The same for several counts of one name, by the values of a label. */
  totals<Value extends string>(
    name: string,
    help: string,
    label: string,
    read: () => Readonly<Record<Value, number>>,
  ): void {
    const samples = () =>
      Object.entries<number>(read()).map(([value, count]) => sampleOf(count, [[label, value]]));
    this.#add({ name, help, type: 'counter', samples });
  }

  async collect(): Promise<CollectedMetrics> {
    this.watchProcess();
    const collectProcess = await this.#process!;
    const metrics = [await collectProcess(), ...[...this.#metrics.values()].map(renderMetric)];
    return { text: `${metrics.join('\n\n')}\n`, contentType: METRICS_CONTENT_TYPE };
  }

  #add<Added extends Metric>(metric: Added): Added {
    if (this.#metrics.has(metric.name)) throw new Error(`There is a metric ${metric.name} already.`);
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}

function sampleOf(value: number, labels: Sample['labels'] = []): Sample {
  return { suffix: '', labels, value };
}
