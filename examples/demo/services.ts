import type { ExchangeRecord } from '@winnow/core';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { DEFAULT_SETTINGS, startSelector } from '@winnow/selector';
import { type Model, startUpstream, type Upstream } from '@winnow/testkit';
import { VENDOR_NAMES } from '@winnow/wire';

/** The services that run in the demo, without the clients. */
export interface Services {
  readonly proxyUrl: string;
  readonly upstream: Upstream;
  /** One record for each exchange, as the proxy reports it. */
  readonly records: readonly ExchangeRecord[];
  close(): Promise<void>;
}

export interface ServicesOptions {
  /** Decides the upstream's responses. */
  readonly model: Model;
  /** Environment variables of the proxy. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * Starts the strict upstream, the selector and the proxy on free local ports. Needs no key and no network.
 */
export async function startServices({ model, settings }: ServicesOptions): Promise<Services> {
  const upstream = await startUpstream({ model });
  const selector = await startSelector(
    { ...DEFAULT_SETTINGS, port: 0 },
    { ...systemEffects(() => {}), writeLog: () => {} },
  );
  const records: ExchangeRecord[] = [];
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: 'none',
      ...Object.fromEntries(
        VENDOR_NAMES.map((name) => [`PROXY_UPSTREAMS_${name.toUpperCase()}_BASE_URL`, upstream.url]),
      ),
      PROXY_TOOLS_API_ENDPOINT: `${selector.url}/v1/tool-discovery/search`,
      PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'native',
      ...settings,
    },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  const proxy = await startProxy(outcome.config, {
    ...systemEffects(() => {}),
    writeLog: (lines) => {
      const entries = lines
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      records.push(...entries.filter(({ event }) => event === 'exchange'));
    },
  });
  return {
    proxyUrl: proxy.url,
    upstream,
    records,
    async close() {
      await proxy.close();
      await selector.close();
      await upstream.close();
    },
  };
}
