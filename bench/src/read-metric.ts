/** The present value of one of the proxy's metrics: the sum over all that have these labels, and 0 when nothing has been counted yet. */
export async function readMetric(
  proxyUrl: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const response = await fetch(`${proxyUrl}/_winnow/metrics`);
  return sumOfMetric(await response.text(), name, labels);
}

/** The same of metrics that have been read, in the Prometheus text format. */
export function sumOfMetric(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const wanted = Object.entries(labels).map(([label, value]) => new RegExp(`[{,]${label}="${value}"[,}]`));
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .filter((line) => wanted.every((label) => label.test(line)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
