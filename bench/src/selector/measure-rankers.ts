import {
  buildCatalogueOf,
  noPause,
  type Ranker,
  selectTools,
  type ToolDocument,
  toDocument,
} from '@winnow/ranking';
import { toSearchTool } from '@winnow/testkit';
import { summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import type { BenchCatalogue, CatalogueSource } from './catalogue.ts';
import { collectGarbage } from './collect-garbage.ts';
import { measureHeap } from './measure-heap.ts';
import type { Effort } from './measure-requests.ts';

/** Cost of one ranker at one size, times in milliseconds. */
export interface RankerTimes {
  readonly size: number;
  readonly ranker: string;
  readonly build: TimeSummary;
  /** Ranking alone. */
  readonly query: TimeSummary;
  /** A whole search: reading the pattern, ranking, judging and choosing. Of our ranker only. */
  readonly search: TimeSummary | undefined;
  /** Memory of the index, measured on the heap. */
  readonly bytesPerTool: number;
}

interface Timed {
  readonly ranker: Ranker;
  readonly build: number[];
  readonly query: number[];
}

/** Rounds over the queries; the first one warms up and is not counted. */
const QUERY_ROUNDS = 4;
const LIMIT = 10;

/**
 * Measures building and querying for all rankers side by side: each round builds one new catalogue with every
 * ranker in turn, and each query goes to every ranker before the next one.
 */
export async function measureRankers(
  rankers: readonly Ranker[],
  source: CatalogueSource,
  size: number,
  effort: Effort,
): Promise<RankerTimes[]> {
  const timed = rankers.map((ranker): Timed => ({ ranker, build: [], query: [] }));
  measureBuilds(timed, source, size, effort);

  const catalogue = source.next(size);
  const documents = toDocuments(catalogue);
  await measureQueries(timed, documents, catalogue.queries);
  const searches = await measureSearches(documents, catalogue.queries, timed[0]!.ranker);
  const results: RankerTimes[] = [];
  for (const { ranker, build, query } of timed) {
    const bytes = await measureHeap(() => ranker.build(documents));
    const search = ranker === timed[0]!.ranker ? summarizeTimes(searches) : undefined;
    const times = { build: summarizeTimes(build), query: summarizeTimes(query), search };
    results.push({ size, ranker: ranker.name, ...times, bytesPerTool: bytes / size });
  }
  return results;
}

function measureBuilds(timed: readonly Timed[], source: CatalogueSource, size: number, effort: Effort): void {
  // Once without counting, so that no ranker pays for compilation.
  const warmUp = toDocuments(source.next(Math.min(size, 500)));
  for (const { ranker } of timed) ranker.build(warmUp);

  const deadline = performance.now() + effort.seconds * 1_000;
  for (let round = 0; round < effort.most; round += 1) {
    if (round >= effort.fewest && performance.now() > deadline) return;
    const documents = toDocuments(source.next(size));
    collectGarbage();
    for (const { ranker, build } of timed) {
      const startedAt = performance.now();
      ranker.build(documents);
      build.push(performance.now() - startedAt);
    }
  }
}

async function measureQueries(
  timed: readonly Timed[],
  documents: readonly ToolDocument[],
  queries: readonly string[],
): Promise<void> {
  const indexes = timed.map(({ ranker, query }) => ({ index: ranker.build(documents), times: query }));
  for (let round = 0; round < QUERY_ROUNDS; round += 1) {
    for (const query of queries) {
      for (const { index, times } of indexes) {
        const startedAt = performance.now();
        await index.rank(query, { limit: LIMIT });
        if (round > 0) times.push(performance.now() - startedAt);
      }
    }
  }
}

async function measureSearches(
  documents: readonly ToolDocument[],
  queries: readonly string[],
  ranker: Ranker,
): Promise<number[]> {
  const catalogue = buildCatalogueOf(documents, ranker);
  const times: number[] = [];
  for (let round = 0; round < QUERY_ROUNDS; round += 1) {
    for (const pattern of queries) {
      const startedAt = performance.now();
      await selectTools(catalogue, { pattern, topK: 5, alwaysKeep: [], searchType: 'auto' }, noPause);
      if (round > 0) times.push(performance.now() - startedAt);
    }
  }
  return times;
}

function toDocuments({ tools }: BenchCatalogue): ToolDocument[] {
  return tools.map((tool) => toDocument(toSearchTool(tool, 'openai')));
}
