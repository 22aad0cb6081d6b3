import { CallProblem } from './failures.ts';
import type { SubscribeOptions } from './mcp-servers.ts';
import type { After } from './process-group.ts';
import type { ServerCalls } from './server-calls.ts';
import { SERVER_TIMES } from './server-connection.ts';

export interface KeptSubscriptionParts extends SubscribeOptions {
  readonly calls: Pick<ServerCalls, 'hold'>;
  readonly after: After;
}

/**
 * Subscribes to a resource until the signal aborts, again whenever the connection was lost. Resolves as soon as it is subscribed for the first
 * time; rejects with a `CallProblem` when that fails.
 */
export function keepSubscribed(uri: string, parts: KeptSubscriptionParts): Promise<void> {
  return new Promise((resolve, reject) => {
    void keep(uri, parts, resolve).catch(reject);
  });
}

async function keep(uri: string, parts: KeptSubscriptionParts, onFirst: () => void): Promise<void> {
  const { signal, onUpdated, after } = parts;
  let isFirst = true;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await subscribeOnce(uri, parts, () => {
        failures = 0;
        if (isFirst) onFirst();
        // It may have changed while nothing was listened to.
        else onUpdated();
        isFirst = false;
      });
    } catch (error) {
      if (isFirst) throw error;
    }
    if (signal.aborted) return;
    const { first, most } = SERVER_TIMES.backoffMs;
    await delay(Math.min(first * 2 ** failures++, most), after, signal);
  }
  if (isFirst) throw new CallProblem('cancelled', 'The subscription was cancelled.');
}

/** Subscribes, and waits until the subscription ends. */
function subscribeOnce(
  uri: string,
  { calls, holder, signal, onUpdated }: KeptSubscriptionParts,
  onSubscribed: () => void,
): Promise<void> {
  // The connection of a holder must stay for as long as it is listened to.
  return calls.hold(holder, {
    signal,
    begin: (connection, bounded) => connection.subscribe(uri, onUpdated, bounded),
    stay: async (subscription) => {
      onSubscribed();
      const { promise: aborted, resolve: stop } = Promise.withResolvers<void>();
      const end = () => stop();
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
      await Promise.race([subscription.closed, aborted]);
      signal.removeEventListener('abort', end);
      await subscription.stop();
    },
  });
}

function delay(ms: number, after: After, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(ms, done);
    function done(): void {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
