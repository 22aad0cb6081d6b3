import { DEFAULT_SETTINGS as ATTACH_DEFAULTS, startAttach } from '@winnow/attach';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { DEFAULT_SETTINGS as REGISTRY_DEFAULTS, startRegistry } from '@winnow/registry-app';
import { DEFAULT_SETTINGS, startSelector } from '@winnow/selector';

/** All metrics that a service reports: by family name, the names of its series and their labels. */
export type ServiceMetrics = ReadonlyMap<string, readonly string[]>;

/** The metrics of each service, by the service's name. */
export interface AllServiceMetrics {
  readonly proxy: ServiceMetrics;
  readonly selector: ServiceMetrics;
  readonly registry: ServiceMetrics;
  readonly attach: ServiceMetrics;
}

/**
 * The metrics of a proxy, a selector, a registry and an attach service after their start, by the name under
 * which a query finds them.
 */
export async function readServiceMetrics(): Promise<AllServiceMetrics> {
  const config = readConfig({ environment: { PROXY_SERVER_PORT: '0', PROXY_RECORDS_FILE: 'none' } });
  if (!config.ok) throw new Error(config.problems.join(' '));
  const effects = systemEffects(() => {});
  const proxy = await startProxy(config.config, effects);
  const selector = await startSelector({ ...DEFAULT_SETTINGS, port: 0 }, { ...effects, writeLog: () => {} });
  const registry = await startRegistry(
    { ...REGISTRY_DEFAULTS, port: 0, sqliteFile: ':memory:' },
    { ...effects, writeLog: () => {}, randomId: () => '0'.repeat(64) },
  );
  const attach = await startAttach({ ...ATTACH_DEFAULTS, port: 0 }, { ...effects, writeLog: () => {} });
  try {
    const read = async (url: string) => familiesOf(await (await fetch(url)).text());
    return {
      proxy: await read(`${proxy.url}/_winnow/metrics`),
      selector: await read(`${selector.url}/metrics`),
      registry: await read(`${registry.url}/metrics`),
      attach: await read(`${attach.url}/metrics`),
    };
  } finally {
    await Promise.all([proxy.close(), selector.close(), registry.close(), attach.close()]);
  }
}

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Reads the types of the text format: https://prometheus.io/docs/instrumenting/exposition_formats/ */
function familiesOf(text: string): ServiceMetrics {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Map(
    types.map(([, name, type]) => [name!, (SUFFIXES[type!] ?? ['']).map((suffix) => `${name}${suffix}`)]),
  );
}
