import { isLoopback } from '@winnow/service';
import { cloudOf, vendorNamed } from '@winnow/wire';
import type { UpstreamSettings } from '../config/config.ts';
import type { CredentialSource } from '../signing/read-signing.ts';
import type { Upstream } from './choose-upstream.ts';
import { readAuth } from './upstream-auth.ts';

/** Creates the enabled upstreams of the configuration, by name, with parsed addresses. */
export function createUpstreams(
  settings: Readonly<Record<string, UpstreamSettings>>,
  isOwnToken: (value: string) => boolean = () => false,
  chain?: CredentialSource,
): ReadonlyMap<string, Upstream> {
  const enabled = Object.entries(settings).filter(([, { enabled }]) => enabled);
  const upstreams = enabled.map(([name, settings]): Upstream => {
    const { origin, pathname, hostname } = new URL(settings.base_url);
    const vendor = vendorNamed(settings.format);
    return {
      name,
      vendor,
      origin,
      basePath: pathname.replace(/\/+$/, ''),
      auth: readAuth(settings, vendor, origin, chain),
      isNeighbour: isLoopback(hostname) && isLoopback(new URL(vendor.baseUrl).hostname),
      pathRoot: cloudOf(vendor, origin)?.pathRoot,
      load: settings.load,
      isPolyfilled: settings.polyfill === 'on',
      thinkingBound: settings.thinking_bound,
      retryAttempts: settings['retry.attempts'],
      idleTimeoutMs: settings.idle_timeout,
      isOwnToken,
    };
  });
  return new Map(upstreams.map((upstream) => [upstream.name, upstream]));
}
