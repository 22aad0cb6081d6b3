import type { Mischief } from './mischief.ts';
import type { ReplaceableProcess } from './replaceable-process.ts';

/** What a drain came to. */
export interface Drains {
  /** Exit codes other than 0: answers that were cut off. */
  readonly bad: (number | null)[];
}

/** Proxies are drained one by one: the next one only when the one before is back, as in any rolling update. */
export function proxyMischief(proxies: readonly ReplaceableProcess[], drains: Drains): Mischief[] {
  return proxies.map((proxy) => ({
    name: `${proxy.name} is drained`,
    async begin() {
      const code = await proxy.end('SIGTERM');
      if (code !== 0) drains.bad.push(code);
    },
    end: () => proxy.startAgain(),
  }));
}
