import type { Ranker, ToolDocument } from '@winnow/ranking';
import { mean } from '../summarize-times.ts';
import type { ValueById } from './measure-queries.ts';
import { hitAtOne } from './metrics.ts';
import type { SetQuery } from './read-sets.ts';
import { buildSearchable } from './searchable.ts';

/** Results for queries that come with their own short list of tools: how often the first name is right. */
export interface OwnListsMeasurement {
  readonly lists: number;
  /** Share of hits; `undefined` if no query has a list. */
  readonly hit1: number | undefined;
  /** The same per family of queries, see {@link familyOf}. */
  readonly hit1ByFamily: Readonly<Record<string, number>>;
  /** Number of lists for which the ranker threw. */
  readonly failures: number;
  /** Results for lists of one or two tools, which some libraries cannot index. */
  readonly small: { readonly lists: number; readonly failures: number; readonly misses: number };
  readonly hits: ValueById;
}

interface ListResult {
  readonly id: string;
  readonly size: number;
  readonly hit: number;
  readonly isFailure: boolean;
}

/** Maximum number of tools in a small list. */
const SMALL = 2;

/** Builds an index for each query with `candidates`, over those alone, and runs the query. */
export async function measureOwnLists(
  ranker: Ranker,
  documents: readonly ToolDocument[],
  queries: readonly SetQuery[],
): Promise<OwnListsMeasurement> {
  const byName = new Map(documents.map((document) => [document.name, document]));
  const results: ListResult[] = [];
  for (const query of queries) {
    if (query.candidates === undefined) continue;
    const list = query.candidates.flatMap((name) => byName.get(name) ?? []);
    const ranked = await buildSearchable(ranker, list).rankNames(query.text);
    const hit = hitAtOne(ranked ?? [], query.gold);
    results.push({ id: query.id, size: list.length, hit, isFailure: ranked === undefined });
  }
  return summarize(results);
}

/**
 * Returns the family of queries with a common origin: the id up to its running number. `live_multiple_7-3`
 * gives `live_multiple`.
 */
function familyOf(id: string): string {
  return id.replace(/[-_\d]+$/, '');
}

function summarize(results: readonly ListResult[]): OwnListsMeasurement {
  const families = Object.groupBy(results, ({ id }) => familyOf(id));
  const small = results.filter(({ size }) => size <= SMALL);
  return {
    lists: results.length,
    hit1: results.length === 0 ? undefined : hitShare(results),
    hit1ByFamily: Object.fromEntries(
      Object.entries(families).map(([family, members]) => [family, hitShare(members ?? [])]),
    ),
    failures: results.filter(({ isFailure }) => isFailure).length,
    small: {
      lists: small.length,
      failures: small.filter(({ isFailure }) => isFailure).length,
      misses: small.filter(({ hit }) => hit === 0).length,
    },
    hits: Object.fromEntries(results.map(({ id, hit }) => [id, hit])),
  };
}

function hitShare(results: readonly ListResult[]): number {
  return mean(results.map(({ hit }) => hit));
}
