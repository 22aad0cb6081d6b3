import type { Mark } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import { figure } from '../table.ts';
import { checkExactNames } from './check-exact-names.ts';
import { checkScripts } from './check-scripts.ts';
import type { SetRow } from './measure-set.ts';
import type { RetrievalSet } from './read-sets.ts';
import type { BySetAndRanker } from './run.ts';

/** NDCG@10 of a plain BM25F with a tool-aware tokenizer on the six public sets: the minimum for each set. */
const PLAIN_BM25F: Readonly<Record<string, number>> = {
  bfcl: 0.755,
  stabletoolbench: 0.704,
  restbench: 0.578,
  toollinkos: 0.834,
  metatool: 0.578,
  sealtools: 0.916,
};

/** The sets of the first round, whose means have marks. */
export const FIRST_SETS: readonly string[] = Object.keys(PLAIN_BM25F);

/** Maximum number of misses that a mark lists by name. */
const EXAMPLES = 3;

/** The mark of a search for each tool's name. */
export const EXACT_NAMES = 'a tool asked for by its exact name';

/** The ranker that the marks apply to. */
const OURS = 'bm25';

/** Returns the requirements for Winnow's ranker, as far as this run measured it. */
export async function retrievalMarks(
  rows: BySetAndRanker<SetRow>,
  sets: readonly RetrievalSet[],
): Promise<Mark[]> {
  const ours = Object.fromEntries(
    Object.entries(rows).flatMap(([set, byRanker]) => pair(set, byRanker[OURS])),
  );
  if (Object.keys(ours).length === 0) return [];
  return [
    ...meanMark(ours, 'ndcg10', 'NDCG@10', 0.76),
    ...meanMark(ours, 'recall5', 'R@5', 0.795),
    ...atLeast('nestful: NDCG@10', 0.85, ours.nestful?.ndcg10),
    ...atLeast('acebench-en: NDCG@10', 0.955, ours['acebench-en']?.ndcg10),
    ...atLeast('acebench-en: Hit@1 on own lists', 0.97, ours['acebench-en']?.hit1_own_lists),
    ...Object.entries(ours).flatMap(([set, row]) => setMark(set, row)),
    ...atLeast('bfcl, live_multiple: Hit@1 on own lists', 0.915, ours.bfcl?.hit1_live_multiple),
    ...smallListsMark(ours),
    ...atLeast('misspelt toollinkos: NDCG@10', 0.79, ours.toollinkos?.misspelt_ndcg10),
    await exactNameMark(sets),
    await scriptsMark(),
  ];
}

function meanMark(
  ours: Readonly<Record<string, SetRow>>,
  measure: string,
  title: string,
  mark: number,
): Mark[] {
  const values = FIRST_SETS.flatMap((set) => ours[set]?.[measure] ?? []);
  if (values.length < FIRST_SETS.length) return [];
  return atLeast(`mean ${title} over the six sets`, mark, mean(values));
}

function setMark(set: string, row: SetRow): Mark[] {
  const mark = PLAIN_BM25F[set];
  return mark === undefined ? [] : atLeast(`${set}: NDCG@10 not under plain BM25F`, mark, row.ndcg10);
}

function atLeast(what: string, mark: number, measured: number | undefined): Mark[] {
  if (measured === undefined) return [];
  return [{ what, mark: `at least ${mark}`, measured: figure(measured), isMet: measured >= mark }];
}

function smallListsMark(ours: Readonly<Record<string, SetRow>>): Mark[] {
  const sum = (measure: string): number =>
    Object.values(ours).reduce((total, row) => total + (row[measure] ?? 0), 0);
  const lists = sum('small_lists');
  if (lists === 0) return [];
  const failures = sum('small_list_failures');
  const measured = `${failures} failures, ${sum('small_list_misses')} misses on ${lists} lists`;
  return [{ what: 'lists of 1 or 2 tools', mark: 'no failure', measured, isMet: failures === 0 }];
}

async function exactNameMark(sets: readonly RetrievalSet[]): Promise<Mark> {
  const { asked, missed } = await checkExactNames(sets);
  const example = missed[0] === undefined ? '' : `, the first one "${missed[0]}"`;
  return {
    what: EXACT_NAMES,
    mark: 'found first, always',
    measured: `${asked - missed.length} of ${asked}${example}`,
    isMet: missed.length === 0,
  };
}

async function scriptsMark(): Promise<Mark> {
  const { asked, missed } = await checkScripts();
  const examples = missed
    .slice(0, EXAMPLES)
    .map(({ title, query }) => `${title}: ${query}`)
    .join('; ');
  return {
    what: 'queries in many languages, scripts and mixtures',
    mark: 'find the tools described in them',
    measured: `${asked - missed.length} of ${asked}${examples && `, missed: ${examples}`}`,
    isMet: missed.length === 0,
  };
}

function pair<Value>(key: string, value: Value | undefined): [string, Value][] {
  return value === undefined ? [] : [[key, value]];
}
