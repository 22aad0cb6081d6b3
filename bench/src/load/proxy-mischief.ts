import type { Mischief } from './mischief.ts';
import type { ReplaceableProcess } from './replaceable-process.ts';

/** What a drain came to. */
export interface Drains {
  /** Exit codes other than 0, which say that answers were cut off or worse, each with the proxy's last words. */
  readonly bad: string[];
}

/** Proxies are drained one by one: the next one only when the one before is back, as in any rolling update. */
export function proxyMischief(proxies: readonly ReplaceableProcess[], drains: Drains): Mischief[] {
  return proxies.map((proxy) => ({
    name: `${proxy.name} is drained`,
    async begin() {
      const code = await proxy.end('SIGTERM');
      if (code !== 0) drains.bad.push(`${proxy.name} ended with ${code}: ${proxy.process.said()}`);
    },
    end: () => proxy.startAgain(),
  }));
}
