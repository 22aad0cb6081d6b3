import type { ChangeEvent } from './change.ts';
import type { ChangeListener } from './change-listeners.ts';

/**
 * Yields the known events, then each new one, until the signal aborts.
 *
 * Listens from the call on, not from the first read, so no event is missed. Unread events wait in memory.
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
