/** A metric as a scrape reads it. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  samples(): Iterable<Sample>;
}

/** One line of a metric. */
export interface Sample {
  /** The suffix of the metric's name, such as `_sum`; usually empty. */
  readonly suffix: string;
  /** The labels in the order in which they are written. */
  readonly labels: readonly (readonly [name: string, value: string | number])[];
  readonly value: number;
}

/**
 * Returns a metric in the Prometheus text format, without a line feed at its end. Each sample gets the common
 * labels first.
 */
export function renderMetric(metric: Metric, common: Sample['labels'] = []): string {
  const { name, help, type } = metric;
  const lines = [`# HELP ${name} ${escapeText(help)}`, `# TYPE ${name} ${type}`];
  for (const { suffix, labels, value } of metric.samples()) {
    const pairs = [...common, ...labels].map(([label, text]) => `${label}="${escapeLabel(String(text))}"`);
    lines.push(`${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`);
  }
  return lines.join('\n');
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeText(text).replaceAll('"', '\\"');
}

/** The values of a metric's labels, by their names. */
export type Labels<Label extends string = string> = Readonly<Record<Label, string | number>>;

/** A cell for each combination of label values, in the order in which they first occurred. */
export class LabelCells<Label extends string, Cell> {
  readonly #names: readonly Label[];
  readonly #create: () => Cell;
  readonly #root = new Branch<Cell>();
  readonly #met: [labels: readonly (readonly [Label, string | number])[], cell: Cell][] = [];

  /** Without labels, the only combination exists from the start. */
  constructor(names: readonly Label[], create: () => Cell) {
    this.#names = names;
    this.#create = create;
    if (names.length === 0) this.#add(this.#root, {} as Labels<Label>);
  }

  /**
   * Returns the cell of these labels. Every metric of every request passes here, so no key is built from the
   * labels.
   */
  of(labels: Labels<Label>): Cell {
    let branch = this.#root;
    for (const name of this.#names) branch = branch.of(labels[name]);
    return branch.cell ?? this.#add(branch, labels);
  }

  /** Returns every combination with its cell. */
  entries(): Iterable<readonly [labels: readonly (readonly [Label, string | number])[], cell: Cell]> {
    return this.#met;
  }

  #add(branch: Branch<Cell>, labels: Labels<Label>): Cell {
    const cell = this.#create();
    branch.cell = cell;
    this.#met.push([this.#names.map((name) => [name, labels[name]] as const), cell]);
    return cell;
  }
}

/** The combinations that share the values of the first labels. */
class Branch<Cell> {
  readonly #branches = new Map<string | number, Branch<Cell>>();
  cell: Cell | undefined;

  of(value: string | number): Branch<Cell> {
    let branch = this.#branches.get(value);
    if (!branch) {
      branch = new Branch();
      this.#branches.set(value, branch);
    }
    return branch;
  }
}

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
