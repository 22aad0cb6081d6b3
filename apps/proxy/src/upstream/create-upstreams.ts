import { vendorNamed } from '@winnow/wire';
import type { UpstreamSettings } from '../config.ts';
import type { Upstream } from './choose-upstream.ts';

/** The upstreams that are configured and switched on, by name, their addresses taken apart. */
export function createUpstreams(
  settings: Readonly<Record<string, UpstreamSettings>>,
  isOwnToken: (value: string) => boolean = () => false,
): ReadonlyMap<string, Upstream> {
  const enabled = Object.entries(settings).filter(([, { enabled }]) => enabled);
  const upstreams = enabled.map(([name, settings]): Upstream => {
    const { origin, pathname } = new URL(settings.base_url);
    return {
      name,
      vendor: vendorNamed(settings.format),
      origin,
      basePath: pathname.replace(/\/+$/, ''),
      apiKey: settings.api_key,
      native: settings.native,
      thinkingBound: settings.thinking_bound,
      retryAttempts: settings['retry.attempts'],
      idleTimeoutMs: settings.idle_timeout,
      isOwnToken,
    };
  });
  return new Map(upstreams.map((upstream) => [upstream.name, upstream]));
}
