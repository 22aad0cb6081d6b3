import { setTimeout as sleep } from 'node:timers/promises';
import { summarizeTimes } from '../summarize-times.ts';
import { type Catalogue, changed } from './registrations.ts';
import type { RegistryClient } from './registry-client.ts';
import type { SearchTimes } from './run.ts';

/** Setup for measuring searches. */
export interface SearchLoad {
  /** The registries to search in turn, one search at a time. */
  readonly searched: readonly RegistryClient[];
  /** The registry that receives the changes. */
  readonly changedBy: RegistryClient;
  readonly changesPerSecond: number;
  readonly seconds: number;
}

/** Number of warm-up searches, because the first ones run cold code. */
const WARM_UP = 200;

/** Interval between searches, in milliseconds: a steady stream, not the maximum rate. */
const BETWEEN_MS = 2;

/**
 * Searches one after another, while changes arrive at their own pace, whether or not the previous ones are
 * confirmed.
 */
export async function measureSearches(
  { tools, queries }: Catalogue,
  { searched, changedBy, changesPerSecond, seconds }: SearchLoad,
): Promise<SearchTimes> {
  const next = (n: number) => searched[n % searched.length]!.search(queries[n % queries.length]!);
  for (let n = 0; n < WARM_UP; n++) await next(n);
  const [searches, changes]: [number[], number[]] = [[], []];
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  const change = async (round: number) => {
    const tool = changed(tools[(round * 7) % tools.length]!, round);
    changes.push((await changedBy.register([tool])).ms);
  };
  const changing = (async () => {
    for (let round = 0; performance.now() < end; round++) {
      sent.push(change(round));
      const due = startedAt + ((round + 1) * 1_000) / changesPerSecond;
      await sleep(Math.max(0, due - performance.now()));
    }
  })();
  for (let n = WARM_UP; performance.now() < end; n++) {
    searches.push((await next(n)).ms);
    await sleep(BETWEEN_MS);
  }
  await changing;
  await Promise.all(sent);
  return {
    searches: summarizeTimes(searches),
    changes: summarizeTimes(changes),
    wantedPerSecond: changesPerSecond,
    changesPerSecond: changes.length / seconds,
  };
}
