/** The present value of one of the proxy's metrics, by its name with its labels; 0 when it has not been counted yet. */
export async function readMetric(proxyUrl: string, name: string): Promise<number> {
  const response = await fetch(`${proxyUrl}/_winnow/metrics`);
  const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
