import type { PatientMeanings } from '@winnow/embeddings';
import {
  buildCatalogueOf,
  type Catalogue,
  type MeaningSource,
  meaningText,
  noPause,
  selectTools,
} from '@winnow/ranking';
import { hashText } from '../hash-text.ts';
import { hashedOrder } from '../hashed-order.ts';
import type { Mark } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { documentOf } from './measure-set.ts';
import { recallAt } from './metrics.ts';
import { mixSets, mixtureOf } from './mix-sets.ts';
import type { RetrievalSet, SetQuery, SetTool } from './read-sets.ts';

/** The certainty of searches in one set; shares 0..1, undefined without such queries. */
export interface CertaintyMeasurement {
  readonly set: string;
  /** R@5 that is lost because the right tool is among weak matches. */
  readonly lost: number;
  /** The same in one catalogue of all sets; undefined for a single set. */
  readonly lostTogether: number | undefined;
  /** Share of queries that are `found` although their own tools are removed from the catalogue. */
  readonly removed: number;
  /** Share of queries of other sets that are `found` in this one. */
  readonly foreign: number | undefined;
  /** The same for queries of at most {@link SHORT_WORDS} words, like those of an agent's search. */
  readonly foreignShort: number | undefined;
  /** The confidences behind these shares, for choosing a least confidence. */
  readonly confidences: Confidences;
}

/** The highest confidence of each search: infinite where nothing is judged, and `found` is certain. */
export interface Confidences {
  readonly answerable: readonly { readonly confidence: number; readonly recall5: number }[];
  readonly removed: readonly number[];
  readonly foreign: readonly number[];
  readonly foreignShort: readonly number[];
}

/** Number of queries without an answer: of the set itself, and of all others together. */
const QUERIES = 200;

const SHORT_WORDS = 8;

/** Tools that an agent sees. */
const TOP_K = 5;

/** Tools to search. */
export interface Searched {
  readonly catalogue: Catalogue;
  /** Undefined for searches by words alone. */
  readonly meaning: MeaningSource | undefined;
}

export function searchedOf(tools: readonly SetTool[], meanings: PatientMeanings | undefined): Searched {
  const documents = hashedOrder(tools.map(documentOf));
  const meaning = meanings?.source(documents.length, (position) => meaningText(documents[position]!));
  return { catalogue: buildCatalogueOf(documents), meaning };
}

/**
 * Measures, for each set, what a search that says no costs and prevents, by words alone or with meaning. Hashes
 * draw the queries.
 */
export async function measureCertainty(
  sets: readonly RetrievalSet[],
  meanings?: PatientMeanings,
): Promise<CertaintyMeasurement[]> {
  const measured: CertaintyMeasurement[] = [];
  const together = mixSets(sets).find(({ name }) => mixtureOf(name) === 'all');
  const allTools = together && searchedOf(together.tools, meanings);
  for (const set of sets) {
    const searched = searchedOf(set.tools, meanings);
    const others = sets.filter((other) => other !== set && familyOf(other) !== familyOf(set));
    const foreign = others.flatMap((other) => draw(other, Math.ceil(QUERIES / others.length), set.name));
    const short = foreign.filter(({ text }) => text.split(/\s+/).length <= SHORT_WORDS);
    const answerable: { confidence: number; recall5: number; isFound: boolean }[] = [];
    for (const { text, gold } of set.queries) {
      const judged = await judgedSearch(searched, text);
      answerable.push({ ...judged, recall5: recallAt(TOP_K, judged.names, gold) });
    }
    const removed = await searches(searched, draw(set, QUERIES, ''), true);
    const [ofOthers, ofShort] = [await searches(searched, foreign), await searches(searched, short)];
    const ofSet = together?.queries.filter(({ id }) => id.startsWith(`${set.name}/`));
    measured.push({
      set: set.name,
      lostTogether:
        allTools && ofSet && mean(await recallsLost(allTools, draw({ ...set, queries: ofSet }, QUERIES, ''))),
      lost: mean(answerable.map(({ isFound, recall5 }) => (isFound ? 0 : recall5))),
      removed: shareFound(removed) ?? 0,
      foreign: shareFound(ofOthers),
      foreignShort: shareFound(ofShort),
      confidences: {
        answerable,
        removed: removed.map(({ confidence }) => confidence),
        foreign: ofOthers.map(({ confidence }) => confidence),
        foreignShort: ofShort.map(({ confidence }) => confidence),
      },
    });
  }
  return measured;
}

/** Parts of one benchmark have tools in common: their queries are not foreign to one another. */
function familyOf({ name }: RetrievalSet): string {
  return name.split('-')[0]!;
}

function draw({ queries }: RetrievalSet, count: number, salt: string): SetQuery[] {
  const keyed = queries.map((query) => ({ query, key: hashText(`${salt} ${query.id}`) }));
  keyed.sort((left, right) => (left.key < right.key ? -1 : 1));
  return keyed.slice(0, count).map(({ query }) => query);
}

/** Returns the R@5 of each query that is lost because the right tool is among weak matches. */
async function recallsLost(searched: Searched, queries: readonly SetQuery[]): Promise<number[]> {
  const lost: number[] = [];
  for (const { text, gold } of queries) {
    const { isFound, names } = await judgedSearch(searched, text);
    lost.push(isFound ? 0 : recallAt(TOP_K, names, gold));
  }
  return lost;
}

interface JudgedSearch {
  readonly names: readonly string[];
  readonly isFound: boolean;
  readonly confidence: number;
}

async function judgedSearch(
  searched: Searched,
  text: string,
  without?: ReadonlySet<string>,
): Promise<JudgedSearch> {
  const { names, references, certainty } = await searchFor(searched, text, without);
  const confidences = references.map(({ confidence }) => confidence ?? Number.POSITIVE_INFINITY);
  return { names, isFound: certainty === 'found', confidence: Math.max(0, ...confidences) };
}

/** Searches for each query; with its own tools removed if `isRemoved`. */
async function searches(
  searched: Searched,
  queries: readonly SetQuery[],
  isRemoved = false,
): Promise<JudgedSearch[]> {
  const judged: JudgedSearch[] = [];
  for (const { text, gold } of queries)
    judged.push(await judgedSearch(searched, text, isRemoved ? gold : undefined));
  return judged;
}

function shareFound(judged: readonly JudgedSearch[]): number | undefined {
  return judged.length === 0 ? undefined : mean(judged.map(({ isFound }) => (isFound ? 1 : 0)));
}

/** Searches for text, as an agent does. */
export function searchFor(
  { catalogue, meaning }: Searched,
  pattern: string,
  without: ReadonlySet<string> = new Set(),
) {
  const excluded = Uint8Array.from({ length: catalogue.positions }, (_, position) =>
    without.has(catalogue.table.name(position)) ? 1 : 0,
  );
  const query = { pattern, topK: TOP_K, alwaysKeep: [], searchType: 'keyword', excluded } as const;
  return selectTools(catalogue, { ...query, ...(meaning && { meaning }) }, noPause);
}

/** Returns a table with a row for each set. */
export function certaintyTable(measured: readonly CertaintyMeasurement[], ranker: string): Table {
  return {
    title: `A search that says no: ${ranker}`,
    header: [
      'set',
      'R@5 lost to weak',
      'lost in all sets together',
      'found: tools removed',
      'found: foreign',
      'found: foreign, short',
    ],
    rows: measured.map(({ set, lost, lostTogether, removed, foreign, foreignShort }) => [
      set,
      ...[lost, lostTogether, removed, foreign, foreignShort].map((value) => figure(value)),
    ]),
    labels: 1,
  };
}

/** Returns the requirements: little lost in any set, few queries without an answer found. */
export function certaintyMarks(measured: readonly CertaintyMeasurement[], ranker: string): Mark[] {
  if (measured.length === 0) return [];
  const lost = Math.max(...measured.flatMap((one) => [one.lost, one.lostTogether ?? 0]));
  const foreign = measured.flatMap((one) => one.foreignShort ?? []);
  const marks = [
    { what: `${ranker}, weak matches: R@5 lost in any set, alone or together`, mark: 0.01, measured: lost },
    ...(foreign.length > 0
      ? [{ what: `${ranker}: short foreign queries that are found`, mark: 0.1, measured: mean(foreign) }]
      : []),
  ];
  return marks.map((one) => ({
    what: one.what,
    mark: `at most ${one.mark}`,
    measured: figure(one.measured),
    isMet: one.measured <= one.mark,
  }));
}
