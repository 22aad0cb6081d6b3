import { systemEffects } from '@winnow/proxy';

/** Effects with which waits of the proxy are over at once; clients wait for no heartbeat. */
export function impatient() {
  const { every } = systemEffects(() => {});
  return { every: (ms: number, callBack: () => void) => every(ms < 15_000 ? 1 : ms, callBack) };
}
