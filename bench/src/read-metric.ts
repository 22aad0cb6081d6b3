import { get } from 'node:http';

/**
 * Returns the current value of one of the proxy's metrics: the sum over all series with these labels, or 0 if
 * nothing has been counted yet.
 */
export async function readMetric(
  proxyUrl: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  return sumOfMetric(await readMetrics(proxyUrl), name, labels);
}

/**
 * Returns all of the proxy's metrics in the Prometheus text format. Closes its connection, which would
 * otherwise count among the proxy's.
 */
export function readMetrics(proxyUrl: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = get(`${proxyUrl}/_winnow/metrics`, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    asking.on('error', reject);
  });
}

/** Returns the value of a metric in such a text. */
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
