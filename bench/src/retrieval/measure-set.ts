import { type Ranker, type ToolDocument, toDocument } from '@winnow/ranking';
import { measureBuild } from './measure-build.ts';
import { measureOwnLists, type OwnListsMeasurement } from './measure-own-lists.ts';
import { measureQueries, type QueriesMeasurement, type ValueById } from './measure-queries.ts';
import { misspell } from './misspell.ts';
import type { RetrievalSet, SetQuery, SetTool } from './read-sets.ts';
import { buildSearchable } from './searchable.ts';

/**
 * All figures of one ranker on one set, by their names in the JSON file. Shares are 0..1, times are
 * milliseconds; measures that do not apply to the set are omitted. bench/README.md defines each one.
 */
export type SetRow = Readonly<Record<string, number>>;

/** The figures, and by measure the values of each query, for comparing runs. */
export interface SetMeasurement {
  readonly row: SetRow;
  readonly queries: Readonly<Record<string, ValueById>>;
}

/**
 * Measures one ranker on one set: over the whole catalogue and over the queries' own lists, as written and
 * misspelt.
 */
export async function measureSet(
  ranker: Ranker,
  set: RetrievalSet,
  misspelt: boolean,
): Promise<SetMeasurement> {
  const documents = set.tools.map(documentOf);
  const index = buildSearchable(ranker, documents);
  const measure = async (queries: readonly SetQuery[]): Promise<TextsMeasurement> => ({
    whole: await measureQueries(index, queries),
    lists: await measureOwnLists(ranker, documents, queries),
  });

  const written = await measure(set.queries);
  const buildMs = measureBuild(ranker, documents);
  const row = {
    tools: set.tools.length,
    queries: set.queries.length,
    ...scoreRow(written),
    ...written.whole.times,
    ...(buildMs !== undefined && { build_ms: buildMs }),
  };
  const queries = valuesOf(written);
  if (!misspelt) return { row, queries };

  const mistyped = await measure(set.queries.map(misspeltQuery));
  return {
    row: { ...row, ...prefixed(scoreRow(mistyped)) },
    queries: { ...queries, ...prefixed(valuesOf(mistyped)) },
  };
}

interface TextsMeasurement {
  readonly whole: QueriesMeasurement;
  readonly lists: OwnListsMeasurement;
}

function scoreRow({ whole, lists }: TextsMeasurement): SetRow {
  if (lists.hit1 === undefined) return { ...whole.scores };
  return {
    ...whole.scores,
    hit1_own_lists: lists.hit1,
    own_lists: lists.lists,
    own_list_failures: lists.failures,
    small_lists: lists.small.lists,
    small_list_failures: lists.small.failures,
    small_list_misses: lists.small.misses,
    ...Object.fromEntries(
      Object.entries(lists.hit1ByFamily).map(([family, hit1]) => [`hit1_${family}`, hit1]),
    ),
  };
}

function valuesOf({ whole, lists }: TextsMeasurement): Record<string, ValueById> {
  return { ...whole.values, ...(lists.lists > 0 && { hit1_own_lists: lists.hits }) };
}

function prefixed<Value>(measures: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(measures).map(([measure, value]) => [`misspelt_${measure}`, value]),
  );
}

function misspeltQuery(query: SetQuery): SetQuery {
  return { ...query, text: misspell(query.text, query.id) };
}

/** Reads a tool as the selector does: name and description, and the parameters in its definition. */
export function documentOf({ name, description, parameters }: SetTool): ToolDocument {
  return toDocument({ name, description, definition: parameters && { name, description, parameters } });
}
