import type { Mischief } from './mischief.ts';
import type { ReplaceableProcess } from './replaceable-process.ts';

/** The results of drains. */
export interface Drains {
  /**
   * Exit codes other than 0, which report cut-off responses or worse, each with the end of the proxy's
   * output.
   */
  readonly bad: string[];
}

/** Drains proxies one by one: the next one only after the previous one is back, as in a rolling update. */
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
