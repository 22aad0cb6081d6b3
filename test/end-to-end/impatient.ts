import { systemEffects } from '@winnow/proxy';

/** Effects that end the proxy's waits at once; clients do not wait for heartbeats. */
export function impatient() {
  const { every } = systemEffects(() => {});
  return { every: (ms: number, callBack: () => void) => every(ms < 15_000 ? 1 : ms, callBack) };
}
