import { buildCatalogueOf, type Catalogue, noPause, RANKERS, selectTools } from '@winnow/ranking';
import { hashText } from '../hash-text.ts';
import { hashedOrder } from '../hashed-order.ts';
import type { Mark } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { documentOf } from './measure-set.ts';
import { recallAt } from './metrics.ts';
import type { RetrievalSet, SetQuery } from './read-sets.ts';

/** The certainty of searches in one set; shares 0..1, undefined without such queries. */
export interface CertaintyMeasurement {
  readonly set: string;
  /** R@5 that is lost because the right tool is among weak matches. */
  readonly lost: number;
  /** Share of queries that are `found` although their own tools are removed from the catalogue. */
  readonly removed: number;
  /** Share of queries of other sets that are `found` in this one. */
  readonly foreign: number | undefined;
  /** The same for queries of at most {@link SHORT_WORDS} words, like those of an agent's search. */
  readonly foreignShort: number | undefined;
}

/** Number of queries without an answer: of the set itself, and of all others together. */
const QUERIES = 200;

const SHORT_WORDS = 8;

/** Tools that an agent sees. */
const TOP_K = 5;

/** Measures, for each set, what a search that says no costs and prevents. Hashes draw the queries. */
export async function measureCertainty(sets: readonly RetrievalSet[]): Promise<CertaintyMeasurement[]> {
  const measured: CertaintyMeasurement[] = [];
  for (const set of sets) {
    const catalogue = buildCatalogueOf(hashedOrder(set.tools.map(documentOf)), RANKERS.bm25);
    const others = sets.filter((other) => other !== set && familyOf(other) !== familyOf(set));
    const foreign = others.flatMap((other) => draw(other, Math.ceil(QUERIES / others.length), set.name));
    const short = foreign.filter(({ text }) => text.split(/\s+/).length <= SHORT_WORDS);
    const own = draw(set, QUERIES, '');
    measured.push({
      set: set.name,
      lost: mean(await Promise.all(set.queries.map((query) => lostBy(catalogue, query)))),
      removed: mean(await Promise.all(own.map(({ text, gold }) => isFound(catalogue, text, gold)))),
      foreign: await shareFound(catalogue, foreign),
      foreignShort: await shareFound(catalogue, short),
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

async function lostBy(catalogue: Catalogue, { text, gold }: SetQuery): Promise<number> {
  const { names, certainty } = await search(catalogue, text);
  return certainty === 'found' ? 0 : recallAt(TOP_K, names, gold);
}

async function isFound(catalogue: Catalogue, text: string, without: ReadonlySet<string>): Promise<number> {
  const { certainty } = await search(catalogue, text, without);
  return certainty === 'found' ? 1 : 0;
}

async function shareFound(catalogue: Catalogue, queries: readonly SetQuery[]): Promise<number | undefined> {
  if (queries.length === 0) return undefined;
  return mean(await Promise.all(queries.map(({ text }) => isFound(catalogue, text, new Set()))));
}

function search(catalogue: Catalogue, pattern: string, without: ReadonlySet<string> = new Set()) {
  const excluded = Uint8Array.from({ length: catalogue.positions }, (_, position) =>
    without.has(catalogue.table.name(position)) ? 1 : 0,
  );
  const query = { pattern, topK: TOP_K, alwaysKeep: [], searchType: 'keyword', excluded } as const;
  return selectTools(catalogue, query, noPause);
}

/** Returns a table with a row for each set. */
export function certaintyTable(measured: readonly CertaintyMeasurement[]): Table {
  return {
    title: 'A search that says no: bm25',
    header: ['set', 'R@5 lost to weak', 'found: tools removed', 'found: foreign', 'found: foreign, short'],
    rows: measured.map(({ set, lost, removed, foreign, foreignShort }) => [
      set,
      ...[lost, removed, foreign, foreignShort].map((value) => figure(value)),
    ]),
    labels: 1,
  };
}

/** Returns the requirements: little lost in any set, few queries without an answer found. */
export function certaintyMarks(measured: readonly CertaintyMeasurement[]): Mark[] {
  if (measured.length === 0) return [];
  const lost = Math.max(...measured.map((one) => one.lost));
  const foreign = measured.flatMap((one) => one.foreignShort ?? []);
  const marks = [
    { what: 'weak matches: R@5 lost in any set', mark: 0.01, measured: lost },
    ...(foreign.length > 0
      ? [{ what: 'short foreign queries that are found', mark: 0.1, measured: mean(foreign) }]
      : []),
  ];
  return marks.map((one) => ({
    what: one.what,
    mark: `at most ${one.mark}`,
    measured: figure(one.measured),
    isMet: one.measured <= one.mark,
  }));
}
