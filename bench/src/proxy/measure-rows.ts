import { readMetric } from '../read-metric.ts';
import { median } from '../summarize-times.ts';
import { withProcesses } from '../with-processes.ts';
import { type Bench, startUndiciPipe } from './bench.ts';
import { compareWindows, type Ratio, type RoundWindow, windowsOf } from './compare-windows.ts';
import { measureForwarding } from './measure-forwarding.ts';
import type { Receiver } from './receiver.ts';
import type { CostRow } from './rows.ts';
import { sendMany } from './send-many.ts';
import { startFloor } from './start-floor.ts';
import { startProxy } from './start-proxy.ts';

/** The cost of one kind of request through every receiver. */
export interface RowCost {
  readonly row: CostRow;
  readonly windows: readonly RoundWindow[];
}

/** The pipe that a proxy's processor time is compared with. */
export const PIPE = 'pipe';

/** Share of the warm-up of small responses that suffices for a stream of 1,000 events. */
const LONG_SHARE = 0.05;

/** Measures one kind of request through the pipe, the proxies, and HAProxy or nginx if they are there. */
export function measureRow(bench: Bench, row: CostRow): Promise<RowCost> {
  bench.report(row.title);
  const { plan, upstream, checkouts, profileDirectory } = bench;
  return withProcesses(async (keep) => {
    const floor = plan.cost.withFloor ? await startFloor(upstream.url) : undefined;
    if (floor !== undefined) await keep(Promise.resolve(floor));
    const pipe = { ...(await keep(startUndiciPipe(bench))), name: PIPE };
    const proxies: Receiver[] = [];
    for (const checkout of checkouts) {
      const { name } = checkout;
      const profile = profileDirectory && { directory: profileDirectory, name: `${name}-${row.name}` };
      const options = { checkout, upstreamUrl: upstream.url, strategy: 'tool-search' } as const;
      const proxy = await keep(
        startProxy({ ...options, settings: row.settings, ...(profile && { profile }) }),
      );
      proxies.push({ ...proxy, name });
    }
    if (row.opening !== undefined) {
      const opening = row.opening();
      for (const { url } of proxies) await sendMany(url, opening, { connections: 1, exchanges: 1 });
    }
    const [toProxy, toPipe] = [row.requests('proxy'), row.requests('pipe')];
    const receivers = [...(floor ? [floor] : []), pipe, ...proxies].map((receiver) => ({
      ...receiver,
      requests: proxies.some(({ name }) => name === receiver.name) ? toProxy : toPipe,
    }));
    const warmUp = plan.cost.warmUp * (row.isLong ? LONG_SHARE : 1);
    const windows = await measureForwarding(receivers, { ...plan.cost, warmUp });
    for (const { url } of proxies) await provePlan(url, row);
    return { row, windows };
  });
}

/** Checks that every exchange was of the measured kind. */
async function provePlan(proxyUrl: string, { title, plan }: CostRow): Promise<void> {
  const count = (labels: Readonly<Record<string, string>>) =>
    readMetric(proxyUrl, 'winnow_proxy_exchanges_total', labels);
  const [all, planned] = [await count({}), await count({ plan, outcome: 'answered' })];
  if (planned === 0 || planned !== all)
    throw new Error(`${title}: of ${all} exchanges, only ${planned} were planned as ${plan}`);
}

/** The cost at one number of connections: the pipe's processor time divided by the proxy's. */
export interface Cost {
  readonly connections: number;
  readonly ratio: Ratio | undefined;
  /** Median processor time per request, in microseconds; undefined if the system does not report it. */
  readonly cpuUs: number | undefined;
  readonly pipeUs: number | undefined;
  readonly p50Ms: number;
  readonly perSecond: number;
}

/** Returns the cost of a row through one receiver, by the number of connections. */
export function costsOf(windows: readonly RoundWindow[], receiver: string): Cost[] {
  const counts = [...new Set(windows.map(({ connections }) => connections))];
  return counts.map((connections) => {
    const own = windowsOf(windows, receiver, connections);
    const cpuOf = (some: readonly RoundWindow[]) => {
      const known = some.flatMap(({ cpuUs }) => cpuUs ?? []);
      return known.length < some.length ? undefined : median(known);
    };
    return {
      connections,
      ratio: compareWindows(windows, { connections, dividend: PIPE, divisor: receiver, by: 'cpuUs' }),
      cpuUs: cpuOf(own),
      pipeUs: cpuOf(windowsOf(windows, PIPE, connections)),
      p50Ms: median(own.map(({ p50Ms }) => p50Ms)),
      perSecond: median(own.map(({ perSecond }) => perSecond)),
    };
  });
}
