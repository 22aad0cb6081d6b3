import { type RunningProxy, readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { VENDOR_NAMES } from '@winnow/wire';
import { onTestFinished } from 'vitest';

/** The ways to put found tools back. */
export type LoadMode = 'bridge' | 'swap' | 'native';

/** Starts a proxy whose vendors are all at one address; closed when the test ends. */
export async function startWinnow(
  upstream: string,
  settings: Readonly<Record<string, string>> = {},
  loadMode: LoadMode = 'bridge',
): Promise<RunningProxy> {
  const upstreams = VENDOR_NAMES.flatMap((name) => [
    [`PROXY_UPSTREAMS_${name.toUpperCase()}_BASE_URL`, upstream],
    [`PROXY_UPSTREAMS_${name.toUpperCase()}_LOAD`, loadMode],
  ]);
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_SERVER_DRAIN_TIMEOUT: '0s',
      PROXY_RECORDS_FILE: 'none',
      PROXY_TOOLS_STRATEGY: 'tool-search',
      // By its bill, swapping would leave most conversations alone.
      PROXY_TOOLS_GOAL: 'context',
      ...Object.fromEntries(upstreams),
      ...settings,
    },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  const proxy = await startProxy(outcome.config, { ...systemEffects(() => {}), writeLog: () => {} });
  onTestFinished(async () => {
    await proxy.close();
  });
  return proxy;
}
