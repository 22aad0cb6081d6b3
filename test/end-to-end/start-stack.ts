import type { ExchangeRecord, ToolListRecord } from '@winnow/core';
import { type ProxyEffects, type RunningProxy, readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { DEFAULT_SETTINGS, type RunningSelector, startSelector } from '@winnow/selector';
import { DEFER_ANYTHING, startUpstream, type Upstream, type UpstreamOptions } from '@winnow/testkit';
import { VENDOR_NAMES } from '@winnow/wire';
import { onTestFinished } from 'vitest';

/** The services between a client and the scripted upstream. */
export interface Stack {
  readonly upstream: Upstream;
  readonly proxyUrl: string;
  /** The addresses of all proxies; `proxyUrl` is the first. */
  readonly proxyUrls: readonly string[];
  /** The proxies themselves, to close before the test ends. */
  readonly proxies: readonly RunningProxy[];
  /** Records of all proxies' finished exchanges. */
  readonly records: readonly ExchangeRecord[];
  /** The lists of tools that records refer to. */
  readonly lists: readonly ToolListRecord[];
  /** The variables that the first proxy was started with. */
  readonly environment: Readonly<Record<string, string>>;
  /** The proxies' other log lines. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

export interface StackOptions extends UpstreamOptions {
  /** Environment variables of the proxy, such as `PROXY_PIPES_TOOL_DISCOVERY_STRATEGY`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Address of a selector to use in place of the stack's own. */
  readonly selectorUrl?: string;
  readonly effects?: Partial<ProxyEffects>;
  /** Number of proxies, each with its own selector; default 1. */
  readonly proxies?: number;
  /** Environment variables that all proxies but the first have in addition. */
  readonly laterSettings?: Readonly<Record<string, string>>;
}

/** Effects of a proxy whose subject is what is stored, not how fast: other tests share the machine. */
export const PATIENT: Partial<ProxyEffects> = {
  deadline: (timeoutMs) => AbortSignal.timeout(Math.max(timeoutMs, 10_000)),
};

/** A line of a proxy's log. */
type LogLine = ExchangeRecord | ToolListRecord | { readonly event: string };

/**
 * Starts an upstream, a selector and a proxy between them, on free ports; all are closed when the test ends.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const upstream = await startUpstream(options);
  const lines: LogLine[] = [];
  const proxies: RunningProxy[] = [];
  const endpoints: string[] = [];
  const selectors: RunningSelector[] = [];
  for (let number = 0; number < (options.proxies ?? 1); number++) {
    const selector = options.selectorUrl === undefined ? await startTestSelector() : undefined;
    if (selector) selectors.push(selector);
    const endpoint = options.selectorUrl ?? `${selector!.url}/v1/tool-discovery/search`;
    endpoints.push(endpoint);
    const settings = { ...options.settings, ...(number > 0 && options.laterSettings) };
    proxies.push(await startTestProxy({ ...options, settings }, { upstream, endpoint, lines }));
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
    environment: environmentOf(options.settings, { upstream, endpoint: endpoints[0]! }),
    get records() {
      return lines.filter(isRecord);
    },
    get lists() {
      return lines.filter(isList);
    },
    get events() {
      return lines.filter((line) => !isRecord(line) && !isList(line)) as Record<string, unknown>[];
    },
  };
}

/** The proxy's neighbours. */
interface Surroundings {
  readonly upstream: Upstream;
  /** Address of the selector's searches. */
  readonly endpoint: string;
  /** Receives its log lines. */
  readonly lines: LogLine[];
}

function startTestProxy(
  { settings, effects }: StackOptions,
  { upstream, endpoint, lines }: Surroundings,
): Promise<RunningProxy> {
  const outcome = readConfig({ environment: environmentOf(settings, { upstream, endpoint }) });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return startProxy(outcome.config, {
    ...systemEffects(() => {}),
    writeLog: (text) => lines.push(...parseLines(text)),
    ...effects,
  });
}

function environmentOf(
  settings: StackOptions['settings'],
  { upstream, endpoint }: Pick<Surroundings, 'upstream' | 'endpoint'>,
): Record<string, string> {
  return {
    PROXY_SERVER_PORT: '0',
    PROXY_SERVER_DRAIN_TIMEOUT: '0s',
    PROXY_RECORDS_FILE: 'none',
    ...baseUrls(upstream),
    PROXY_TOOLS_API_ENDPOINT: endpoint,
    ...DEFER_ANYTHING,
    ...settings,
  };
}

/** The upstream replaces all vendors' own servers. */
function baseUrls({ url }: Upstream): Record<string, string> {
  return Object.fromEntries(
    VENDOR_NAMES.map((name) => [`PROXY_UPSTREAMS_${name.toUpperCase()}_BASE_URL`, url]),
  );
}

function isList(line: LogLine): line is ToolListRecord {
  return line.event === 'tool_list';
}

function isRecord(line: LogLine): line is ExchangeRecord {
  return line.event === 'exchange';
}

/**
 * Waits for a number of records: each is written when its exchange is over, which may be after the response.
 */
export async function recordsOf(stack: Stack, count: number): Promise<void> {
  while (stack.records.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
}

function startTestSelector(): Promise<RunningSelector> {
  return startSelector(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 0 },
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
