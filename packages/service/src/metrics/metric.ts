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

/** Returns a metric in the Prometheus text format, without a line feed at its end. */
export function renderMetric(metric: Metric): string {
  const { name, help, type } = metric;
  const lines = [`# HELP ${name} ${escapeText(help)}`, `# TYPE ${name} ${type}`];
  for (const { suffix, labels, value } of metric.samples()) {
    const written = labels.map(([label, text]) => `${label}="${escapeLabel(String(text))}"`).join(',');
    lines.push(`${name}${suffix}${written === '' ? '' : `{${written}}`} ${value}`);
  }
  return lines.join('\n');
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeText(text).replaceAll('"', '\\"');
}
