import { readMetric } from '../read-metric.ts';
import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { Connection } from './connection.ts';
import { type BenchBody, bodyWithTools, requestBytes, TOOLS } from './requests.ts';

/** What a full search round takes, in milliseconds: two requests to the upstream and the search between them. */
export interface SearchTimes {
  readonly strategy: 'tool-search' | 'api';
  readonly tools: number;
  /** Tools that were searched before. */
  readonly warm: TimeSummary;
  /** Tools that nobody has seen before: they are indexed for it. */
  readonly cold: TimeSummary;
}

/** Measures full search rounds of streamed exchanges. Each is a conversation of its own: found tools would stay visible in the next one. */
export async function measureSearch(
  strategy: SearchTimes['strategy'],
  proxyUrl: string,
  samples: number,
): Promise<SearchTimes> {
  const connection = await Connection.open(proxyUrl);
  try {
    const known = bodyWithTools(true, KNOWN_SEED);
    await measureAll(connection, 'warm-up', Array<BenchBody>(WARM_UP).fill(known));
    const warm = await measureAll(connection, 'warm', Array<BenchBody>(samples).fill(known));
    const cold = await measureAll(connection, 'cold', newBodies(Math.ceil(samples / COLD_SHARE)));
    await proveSearches(proxyUrl, WARM_UP + warm.length + cold.length);
    return { strategy, tools: TOOLS, warm: summarizeTimes(warm), cold: summarizeTimes(cold) };
  } finally {
    connection.close();
  }
}

const KNOWN_SEED = 1;
const FIRST_NEW_SEED = 1_000;
const WARM_UP = 30;
/** One cold round for so many warm ones: each has 140 KB of its own. */
const COLD_SHARE = 4;

function newBodies(count: number): BenchBody[] {
  return Array.from({ length: count }, (_, position) => bodyWithTools(true, FIRST_NEW_SEED + position));
}

async function measureAll(
  connection: Connection,
  conversations: string,
  bodies: readonly BenchBody[],
): Promise<number[]> {
  const times: number[] = [];
  for (const [position, body] of bodies.entries()) {
    const session = `${conversations}-${position}`;
    const request = requestBytes(body, { answer: 'search', query: body.query, session });
    times.push((await connection.exchange(request)).totalMs);
  }
  return times;
}

/** A search that fails is answered with all tools, and much sooner: it must not pass for a fast one. */
async function proveSearches(proxyUrl: string, expected: number): Promise<void> {
  const found = await readMetric(proxyUrl, 'winnow_proxy_searches_total', { outcome: 'found' });
  if (found !== expected) throw new Error(`only ${found} of ${expected} searches found something`);
}
