import { median } from '../summarize-times.ts';
import type { RoundWindow } from './compare-windows.ts';
import { measureWindow } from './measure-window.ts';
import type { Receiver } from './receiver.ts';
import { sendMany } from './send-many.ts';

const WARM_UP_CONNECTIONS = 16;

/** How long to send. */
export interface ForwardingEffort {
  /** Exchanges with each receiver before the first round. A number, not a time: on a busy machine code would not be compiled in time. */
  readonly warmUp: number;
  readonly rounds: number;
  readonly windowMs: number;
  /** Numbers of connections, one after the other. */
  readonly connections: readonly number[];
}

/**
 * Sends one request over and over to every receiver in turn, with each number of connections, and all of that for some rounds.
 *
 * Every round begins with another receiver, so that none always follows the same one.
 */
export async function measureForwarding(
  receivers: readonly Receiver[],
  request: Buffer,
  { warmUp, rounds, windowMs, connections: counts }: ForwardingEffort,
): Promise<RoundWindow[]> {
  for (const { url } of receivers)
    await sendMany(url, [request], { connections: WARM_UP_CONNECTIONS, exchanges: warmUp });
  const windows: RoundWindow[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const connections of counts) {
      for (let place = 0; place < receivers.length; place += 1) {
        const receiver = receivers[(round + place) % receivers.length]!;
        const { times, ...window } = await measureWindow({ receiver, request, connections, windowMs });
        const p50Ms = median(times.map(({ totalMs }) => totalMs));
        const firstContentMs = median(times.map((exchange) => exchange.firstContentMs));
        const names = { round, receiver: receiver.name, connections };
        windows.push({ ...names, p50Ms, firstContentMs, ...window });
      }
    }
  }
  return windows;
}
