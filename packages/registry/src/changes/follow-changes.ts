import type { ChangeEvent } from './change.ts';
import type { ChangeListener } from './change-listeners.ts';

/**
 * Events that are known already, then every one that comes, until the signal aborts.
 *
 * Listens from the moment it is called, not from the first event that is asked for: nothing between is missed. Events that nobody takes
 * wait, in memory.
 */
export function followChanges(
  known: readonly ChangeEvent[],
  listen: (listener: ChangeListener) => () => void,
  signal: AbortSignal,
): AsyncIterable<ChangeEvent> {
  const waiting: ChangeEvent[] = [...known];
  let wake = () => {};
  const stop = listen((event) => {
    waiting.push(event);
    wake();
  });
  signal.addEventListener(
    'abort',
    () => {
      stop();
      wake();
    },
    { once: true },
  );
  return (async function* () {
    try {
      while (!signal.aborted) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      stop();
    }
  })();
}
