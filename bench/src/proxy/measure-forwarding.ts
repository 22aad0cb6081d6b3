import { median } from '../summarize-times.ts';
import type { RoundWindow } from './compare-windows.ts';
import { measureWindow, type Requests } from './measure-window.ts';
import type { Receiver } from './receiver.ts';
import { sendMany } from './send-many.ts';

const WARM_UP_CONNECTIONS = 16;

/** Duration of the measurement. */
export interface ForwardingEffort {
  /**
   * Warm-up exchanges with each receiver. A number and not a time, because a busy machine would not compile
   * the code in time.
   */
  readonly warmUp: number;
  readonly rounds: number;
  readonly windowMs: number;
  /** Numbers of connections, measured one after another. */
  readonly connections: readonly number[];
}

/**
 * Sends requests to every receiver in turn, with each number of connections, for a number of
 * rounds.
 *
 * Every round begins with another receiver, so that none always follows the same one.
 */
export async function measureForwarding(
  receivers: readonly (Receiver & { readonly requests: Requests })[],
  { warmUp, rounds, windowMs, connections: counts }: ForwardingEffort,
): Promise<RoundWindow[]> {
  for (const { url, requests } of receivers)
    await sendMany(url, requests, { connections: WARM_UP_CONNECTIONS, exchanges: warmUp });
  const windows: RoundWindow[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const connections of counts) {
      for (let place = 0; place < receivers.length; place += 1) {
        const receiver = receivers[(round + place) % receivers.length]!;
        const request = receiver.requests;
        const { times, ...window } = await measureWindow({ receiver, request, connections, windowMs });
        const p50Ms = median(times.map(({ totalMs }) => totalMs));
        windows.push({ round, receiver: receiver.name, connections, p50Ms, ...window });
      }
    }
  }
  return windows;
}
