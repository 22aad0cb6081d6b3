import type { ExchangeSoFar } from './timeline.ts';

/** Where the time of an exchange went, in milliseconds. */
export interface ExchangeTimes {
  /** Until the body of the client's request was there. */
  readonly receivingMs: number;
  /** From then until it was known what to do with the tools; 0 when the body was not read. */
  readonly planMs: number;
  /** What the client waited for searches. */
  readonly searchMs: number;
  /** Requests to the upstream: all but the last one. */
  readonly hiddenRoundsMs: number;
  /** The last request to the upstream, or the one that runs. */
  readonly lastRoundMs: number;
  /** From the head of the client's request to the end of its response, or to now. */
  readonly totalMs: number;
  /** What is left of the total: the client has waited for nobody but the proxy. */
  readonly addedMs: number;
}

/**
 * Tells whose time the client of an exchange waited for: its own, the upstream's, or the proxy's.
 *
 * Everything that is neither receiving nor a request to the upstream is the proxy's, so that no work of ours can be forgotten. What is
 * done after the client has its response counts for nothing.
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
        // A body that was not read took no time to be planned for.
        if (readAt !== undefined) planMs = waited(receivedAt, at);
        break;
      case 'searching':
        searchingAt = at;
        break;
      case 'searched':
        searchMs += waited(searchingAt, at);
        break;
      case 'sent':
        // A round that still runs has failed.
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
    // The sum of parts may be above their whole by a rounding.
    addedMs: Math.max(0, totalMs - receivingMs - hiddenRoundsMs - lastRoundMs),
  };
}
