import type { ExchangeRecord } from '@winnow/contract';
import { type ProxyEffects, readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { DEFAULT_SETTINGS, type RunningSelector, startSelector } from '@winnow/selector';
import { startUpstream, type Upstream, type UpstreamOptions } from '@winnow/testkit';
import { onTestFinished } from 'vitest';

/** What stands between a client and the scripted upstream. */
export interface Stack {
  readonly upstream: Upstream;
  readonly proxyUrl: string;
  /** Records of the exchanges that have ended. */
  readonly records: readonly ExchangeRecord[];
}

/** What to start. */
export interface StackOptions extends UpstreamOptions {
  /** Environment variables of the proxy, such as `PROXY_PIPES_TOOL_DISCOVERY_STRATEGY`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Another address than that of a selector of the stack's own. */
  readonly selectorUrl?: string;
  readonly effects?: Partial<ProxyEffects>;
}

/** Starts an upstream, a selector and a proxy between, on free ports; all are closed when the test ends. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const upstream = await startUpstream(options);
  const selector = options.selectorUrl === undefined ? await startTestSelector() : undefined;
  const endpoint = options.selectorUrl ?? `${selector!.url}/v1/tool-discovery/search`;
  const records: ExchangeRecord[] = [];
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_SERVER_DRAIN_TIMEOUT: '0s',
      PROXY_RECORDS_FILE: 'none',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: upstream.url,
      PROXY_PROVIDERS_SELECTOR_ENDPOINT: endpoint,
      ...options.settings,
    },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  const proxy = await startProxy(outcome.config, {
    ...systemEffects(() => {}),
    writeLog: (lines) => records.push(...parseLines(lines)),
    ...options.effects,
  });
  onTestFinished(async () => {
    await proxy.close();
    await selector?.close();
    await upstream.close();
  });
  return { upstream, proxyUrl: proxy.url, records };
}

/** Waits for the records of so many exchanges: they are written when the exchange is over, which may be after its answer. */
export async function recordsOf({ records }: Stack, count: number): Promise<void> {
  while (records.length < count) await new Promise((resolve) => setImmediate(resolve));
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

function parseLines(lines: string): ExchangeRecord[] {
  return lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as ExchangeRecord);
}
