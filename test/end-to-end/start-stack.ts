import type { ExchangeRecord } from '@winnow/contract';
import { type ProxyEffects, type RunningProxy, readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { DEFAULT_SETTINGS, type RunningSelector, startSelector } from '@winnow/selector';
import { DEFER_ANYTHING, startUpstream, type Upstream, type UpstreamOptions } from '@winnow/testkit';
import { VENDOR_NAMES } from '@winnow/wire';
import { onTestFinished } from 'vitest';

/** What stands between a client and the scripted upstream. */
export interface Stack {
  readonly upstream: Upstream;
  readonly proxyUrl: string;
  /** Of all proxies, `proxyUrl` the first. */
  readonly proxyUrls: readonly string[];
  /** The proxies themselves, to be closed before the test ends. */
  readonly proxies: readonly RunningProxy[];
  /** Records of the exchanges that have ended, of all proxies. */
  readonly records: readonly ExchangeRecord[];
  /** What the proxies have logged beside records. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** What to start. */
export interface StackOptions extends UpstreamOptions {
  /** Environment variables of the proxy, such as `PROXY_PIPES_TOOL_DISCOVERY_STRATEGY`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Another address than that of a selector of the stack's own. */
  readonly selectorUrl?: string;
  readonly effects?: Partial<ProxyEffects>;
  /** How many proxies to start, each with a selector of its own; one when it is left out. */
  readonly proxies?: number;
}

/** A line of a proxy's log. */
type LogLine = ExchangeRecord | { readonly event: string };

/** Starts an upstream, a selector and a proxy between, on free ports; all are closed when the test ends. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const upstream = await startUpstream(options);
  const lines: LogLine[] = [];
  const proxies: RunningProxy[] = [];
  const selectors: RunningSelector[] = [];
  for (let number = 0; number < (options.proxies ?? 1); number++) {
    const selector = options.selectorUrl === undefined ? await startTestSelector() : undefined;
    if (selector) selectors.push(selector);
    const endpoint = options.selectorUrl ?? `${selector!.url}/v1/tool-discovery/search`;
    proxies.push(await startTestProxy(options, { upstream, endpoint, lines }));
  }
  onTestFinished(async () => {
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(selectors.map((selector) => selector.close()));
    await upstream.close();
  });
  return {
    upstream,
    proxyUrl: proxies[0]!.url,
    proxyUrls: proxies.map(({ url }) => url),
    proxies,
    get records() {
      return lines.filter(isRecord);
    },
    get events() {
      return lines.filter((line) => !isRecord(line)) as Record<string, unknown>[];
    },
  };
}

/** What a proxy stands between. */
interface Surroundings {
  readonly upstream: Upstream;
  /** Of the selector's searches. */
  readonly endpoint: string;
  /** Takes what it logs. */
  readonly lines: LogLine[];
}

function startTestProxy(
  { settings, effects }: StackOptions,
  { upstream, endpoint, lines }: Surroundings,
): Promise<RunningProxy> {
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_SERVER_DRAIN_TIMEOUT: '0s',
      PROXY_RECORDS_FILE: 'none',
      ...baseUrls(upstream),
      PROXY_PROVIDERS_SELECTOR_ENDPOINT: endpoint,
      ...DEFER_ANYTHING,
      ...settings,
    },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return startProxy(outcome.config, {
    ...systemEffects(() => {}),
    writeLog: (text) => lines.push(...parseLines(text)),
    ...effects,
  });
}

/** The upstream in place of every vendor's own servers. */
function baseUrls({ url }: Upstream): Record<string, string> {
  return Object.fromEntries(
    VENDOR_NAMES.map((name) => [`PROXY_UPSTREAMS_${name.toUpperCase()}_BASE_URL`, url]),
  );
}

function isRecord(line: LogLine): line is ExchangeRecord {
  return line.event === 'exchange';
}

/** Waits for the records of so many exchanges: they are written when the exchange is over, which may be after its answer. */
export async function recordsOf(stack: Stack, count: number): Promise<void> {
  while (stack.records.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
}

function startTestSelector(): Promise<RunningSelector> {
  return startSelector(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 0, buildWorkers: 0 },
    {
      now: () => performance.now(),
      wallClock: () => Date.now(),
      makeId: () => 'test',
      writeLog: () => {},
    },
  );
}

function parseLines(text: string): LogLine[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);
}
