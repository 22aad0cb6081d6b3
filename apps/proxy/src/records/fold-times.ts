import type { ExchangeSoFar } from './timeline.ts';

/** The times of an exchange by cause, in milliseconds. */
export interface ExchangeTimes {
  /** Until the client's request body had arrived. */
  readonly receivingMs: number;
  /** From then until the plan was made; 0 if the body was not read. */
  readonly planMs: number;
  /** Time that the client waited for searches. */
  readonly searchMs: number;
  /** All requests to the upstream except the last. */
  readonly hiddenRoundsMs: number;
  /** The last or running request to the upstream. */
  readonly lastRoundMs: number;
  /** From the head of the client's request to the end of its response, or to now. */
  readonly totalMs: number;
  /** The rest of the total: time that the client waited for the proxy alone. */
  readonly addedMs: number;
}

/**
 * Splits the client's waiting time between the client itself, the upstream and the proxy.
 *
 * All time outside receiving and upstream requests counts as the proxy's, so that none of its work is missed.
 * Work after the client has its response does not count.
 */
export function foldTimes({ startedAt, facts, now }: ExchangeSoFar): ExchangeTimes {
  const endedAt = facts.find(({ fact }) => fact.kind === 'delivered' || fact.kind === 'ended')?.at ?? now;
  const waited = (from: number, to: number) => Math.max(0, Math.min(to, endedAt) - from);
  let receivedAt = startedAt;
  let readAt: number | undefined;
  let planMs = 0;
  let searchMs = 0;
  let searchingAt = 0;
  let hiddenRoundsMs = 0;
  let round: { readonly from: number; readonly to: number } | undefined;
  for (const { at, fact } of facts) {
    switch (fact.kind) {
      case 'received':
        receivedAt = at;
        break;
      case 'read':
        readAt = at;
        break;
      case 'left_alone':
      case 'planned':
        // A body that was not read took no planning time.
        if (readAt !== undefined) planMs = waited(receivedAt, at);
        break;
      case 'searching':
        searchingAt = at;
        break;
      case 'searched':
        searchMs += waited(searchingAt, at);
        break;
      case 'sent':
        // A round still running at this point has failed.
        if (round) hiddenRoundsMs += waited(round.from, Math.min(round.to, at));
        round = { from: at, to: endedAt };
        break;
      case 'round_ended':
        if (round) round = { ...round, to: at };
        break;
    }
  }
  const receivingMs = receivedAt - startedAt;
  const lastRoundMs = round ? waited(round.from, round.to) : 0;
  const totalMs = waited(startedAt, endedAt);
  return {
    receivingMs,
    planMs,
    searchMs,
    hiddenRoundsMs,
    lastRoundMs,
    totalMs,
    // Rounding may make the sum of the parts exceed the total.
    addedMs: Math.max(0, totalMs - receivingMs - hiddenRoundsMs - lastRoundMs),
  };
}
