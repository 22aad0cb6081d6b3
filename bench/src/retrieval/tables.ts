import { figure, selectColumns, type Table } from '../table.ts';
import type { SetRow } from './measure-set.ts';
import { mixtureOf } from './mix-sets.ts';
import type { Run } from './run.ts';

/**
 * Returns the tables of a run: scores and times by set and ranker, and the queries' own lists; empty if there
 * are none.
 */
export function retrievalTables(run: Run): Table[] {
  return [scoresTable(run), ownListsTable(run)];
}

const SCORES: readonly (readonly [measure: string, title: string, decimals?: number])[] = [
  ['hit5', 'Hit@5'],
  ['recall5', 'R@5'],
  ['ndcg10', 'NDCG@10'],
  ['ndcg5', 'NDCG@5'],
  ['recall1', 'R@1'],
  ['recall10', 'R@10'],
  ['mrr', 'MRR'],
  ['hit1_own_lists', 'own Hit@1'],
  ['misspelt_ndcg10', 'misspelt NDCG@10'],
  ['misspelt_recall5', 'misspelt R@5'],
  ['misspelt_hit1_own_lists', 'misspelt own'],
  ['ms_per_query', 'ms/query'],
  ['query_p50_ms', 'p50'],
  ['query_p95_ms', 'p95'],
  ['build_ms', 'build ms', 1],
];

/** Returns the scores by set and ranker, without times. */
export function qualityTable(run: Run): Table {
  const scores = ['Hit@5', 'R@5', 'NDCG@10', 'misspelt NDCG@10', 'own Hit@1'];
  return selectColumns(scoresTable(run), ['set', 'ranker', ...scores]);
}

function scoresTable(run: Run): Table {
  const bySet = Object.entries(run.sets).flatMap(([set, rankers]) => rankerRows(set, rankers));
  return {
    title: 'Retrieval quality and time',
    header: ['set', 'ranker', ...SCORES.map(([, title]) => title)],
    rows: [...bySet, ...rankerRows(`mean of ${countSets(run)}`, run.mean)],
    labels: 2,
  };
}

/** Sets that count for the mean; mixtures repeat the same queries. */
function countSets({ sets }: Run): number {
  return Object.keys(sets).filter((name) => mixtureOf(name) === undefined).length;
}

function rankerRows(label: string, rankers: Readonly<Record<string, SetRow>>): string[][] {
  return Object.entries(rankers).map(([ranker, row]) => [
    label,
    ranker,
    ...SCORES.map(([measure, , decimals]) => figure(row[measure], decimals)),
  ]);
}

const FAMILY = /^hit1_(?!own_lists$)/;

function ownListsTable(run: Run): Table {
  const rows = Object.entries(run.sets).flatMap(([set, rankers]) =>
    Object.entries(rankers).flatMap(([ranker, row]) => ownListRows(set, ranker, row)),
  );
  return {
    title: 'Own lists: the list of tools comes with the query',
    header: ['set', 'queries', 'ranker', 'Hit@1', 'lists', 'failed', 'of 1–2 tools', 'failed', 'missed'],
    rows,
    labels: 3,
  };
}

function ownListRows(set: string, ranker: string, row: SetRow): string[][] {
  if (row.hit1_own_lists === undefined) return [];
  const { own_lists, own_list_failures, small_lists, small_list_failures, small_list_misses } = row;
  const counts = [own_lists, own_list_failures, small_lists, small_list_failures, small_list_misses];
  const families = Object.entries(row).filter(([measure]) => FAMILY.test(measure));
  return [
    [set, 'all', ranker, figure(row.hit1_own_lists), ...counts.map((count) => figure(count, 0))],
    ...families.map(([measure, hit1]) => [set, measure.replace(FAMILY, ''), ranker, figure(hit1)]),
  ];
}
