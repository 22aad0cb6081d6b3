import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { type Comparison, compareWays } from './compare-ways.ts';
import { type ByWay, measureWays } from './measure-ways.ts';
import { bodyWithTools, requestBytes } from './requests.ts';

/** Duration of an exchange with each session store. */
export interface SessionTimes {
  readonly what: string;
  readonly times: ByWay<TimeSummary>;
  /** Difference between Redis and memory. */
  readonly added: Comparison;
}

/** The stores, by their names in tables. */
export const STORES = ['memory', 'redis'] as const;

/**
 * Measures exchanges with 200 tools, one at a time: some only read their session, and some add a hidden turn
 * to it.
 */
export async function measureSessions(urls: ByWay<string>, samples: number): Promise<SessionTimes[]> {
  const known = bodyWithTools(true, 1);
  const reading = requestBytes(known, { answer: 'stream', session: 'read' });
  const searching = (session: string) =>
    requestBytes(known, { answer: 'search', query: known.query, session });
  // Put content into the session that is read.
  await measureWays({ urls, request: () => searching('read'), samples: 1 });
  return [
    summarize('read', await measureWays({ urls, request: () => reading, samples })),
    summarize(
      'read and write',
      await measureWays({ urls, request: (sample) => searching(`write-${sample}`), samples }),
    ),
  ];
}

function summarize(what: string, times: ByWay<number[]>): SessionTimes {
  const [memory, redis] = STORES.map((store) => times.get(store)!);
  return {
    what,
    times: new Map([...times].map(([store, some]) => [store, summarizeTimes(some)])),
    added: compareWays(redis!, memory!),
  };
}
