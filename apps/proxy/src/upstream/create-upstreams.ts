import type { UpstreamSettings } from '../config.ts';
import type { Upstream } from './choose-upstream.ts';

/** The configured upstreams by name, their addresses taken apart. */
export function createUpstreams(
  settings: Readonly<Record<string, UpstreamSettings>>,
): ReadonlyMap<string, Upstream> {
  const upstreams = Object.entries(settings).map(([name, { base_url, format, api_key }]): Upstream => {
    const { origin, pathname } = new URL(base_url);
    return { name, vendor: format, origin, basePath: pathname.replace(/\/+$/, ''), apiKey: api_key };
  });
  return new Map(upstreams.map((upstream) => [upstream.name, upstream]));
}
