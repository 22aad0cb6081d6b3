import type { ExchangeRecord } from '@winnow/core';
import { type Config, startProxy, systemEffects } from '@winnow/proxy';
import { vendorNamed } from '@winnow/wire';
import type { ProbeDialect } from './probe-dialect.ts';
import type { ProbedProxy } from './run-probe.ts';

/**
 * Returns an environment with the settings that show what an upstream accepts. They override the
 * environment's, under old and new names.
 */
export function withProbeSettings(
  environment: Readonly<Record<string, string | undefined>>,
  upstream: string,
): Record<string, string | undefined> {
  const settings = probeSettings(upstream);
  const preferred = (name: string) => name.replace('_PIPES_TOOL_DISCOVERY_', '_TOOLS_');
  const others = Object.entries(environment).filter(([name]) => !Object.hasOwn(settings, preferred(name)));
  return { ...Object.fromEntries(others), ...settings };
}

function probeSettings(upstream: string): Record<string, string> {
  const prefix = `PROXY_UPSTREAMS_${upstream.toUpperCase().replaceAll('-', '_')}`;
  return {
    PROXY_SERVER_HOST: '127.0.0.1',
    PROXY_SERVER_PORT: '0',
    PROXY_RECORDS_FILE: 'none',
    PROXY_ROLLOUT_MODE: 'full',
    PROXY_ROLLOUT_ALLOW_OVERRIDE: 'true',
    PROXY_TOOLS_STRATEGY: 'tool-search',
    PROXY_TOOLS_GOAL: 'context',
    PROXY_TOOLS_PRELOAD: '0',
    PROXY_TOOLS_MIN_TOOLS: '0',
    PROXY_TOOLS_MIN_DEFERRED_TOKENS: '0',
    [`${prefix}_ENABLED`]: 'true',
  };
}

/** The upstream to probe and its key. */
export interface ProbeTarget {
  readonly upstream: string;
  readonly dialect: ProbeDialect;
  readonly model: string;
  /** Overrides the dialect's default path. */
  readonly path?: string | undefined;
  /** The client's credential; undefined if the configuration has a key or none is needed. */
  readonly key: string | undefined;
  /**
   * Whether to try native deferral. Default: true, except for Chat Completions, where few servers support it.
   */
  readonly native?: 'on' | 'off' | undefined;
}

/** Starts a proxy for the probe on a free local port. */
export async function startProbedProxy(
  config: Config,
  {
    upstream,
    dialect,
    model,
    path = dialect.path(model),
    key,
    native = dialect.format === 'openai-chat' ? 'off' : 'on',
  }: ProbeTarget,
): Promise<ProbedProxy & { close(): Promise<void> }> {
  const records: ExchangeRecord[] = [];
  const load: 'native' | 'swap' = native === 'on' ? 'native' : 'swap';
  const upstreams = { ...config.upstreams, [upstream]: { ...config.upstreams[upstream]!, load } };
  const proxy = await startProxy(
    { ...config, upstreams },
    {
      ...systemEffects(() => {}),
      writeLog: (lines) => {
        const entries = lines
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as ExchangeRecord);
        records.push(...entries.filter(({ event, arm }) => event === 'exchange' && arm === 'full'));
      },
    },
  );
  const vendor = vendorNamed(config.upstreams[upstream]!.format);
  const [token] = config.settings['server.tokens'];
  let read = 0;
  return {
    async send(body, mode) {
      const response = await fetch(`${proxy.url}/${upstream}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...dialect.headers,
          ...(key !== undefined && Object.fromEntries([vendor.writeCredential(key)])),
          ...(token !== undefined && { 'x-winnow-token': token }),
          'x-winnow-mode': mode,
          'x-winnow-session': 'probe',
        },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json().catch(() => undefined)) as unknown };
    },
    async lastRecord() {
      while (records.length <= read) await new Promise((resolve) => setImmediate(resolve));
      return records[read++]!;
    },
    async close() {
      await proxy.close();
    },
  };
}
