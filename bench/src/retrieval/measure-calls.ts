import { buildCatalogueOf, type Catalogue, noPause, selectTools, type ToolDocument } from '@winnow/ranking';
import { hashedOrder } from '../hashed-order.ts';
import type { Mark } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { documentOf } from './measure-set.ts';
import type { RetrievalSet, SetQuery } from './read-sets.ts';

/** The calls of one set; shares of queries with a right tool among the first five, 0..1. */
export interface CallsMeasurement {
  readonly set: string;
  /** Pairs of queries for the same tools: two wordings of one need. */
  readonly pairs: number;
  readonly oneWording: number | undefined;
  readonly twoWordings: number | undefined;
  /** With a right tool among the first five or the next twelve, by name. */
  readonly named: number;
  /** In one catalogue of all sets, each a server: as written; then with a second wording that begins with a server. */
  readonly together: number;
  readonly rightServer: number;
  readonly wrongServer: number;
}

/** Tools that an agent sees, and further names in a result. */
const TOP_K = 5;
const NEXT = 12;

/** Maximum numbers of pairs and of queries of a set; hashes draw them. */
const PAIRS = 300;
const QUERIES = 200;

/** Pairs of one group of equal needs. */
const PAIRS_EACH = 3;

/** Measures calls with several queries: two wordings, names of servers, and the names of the next matches. */
export async function measureCalls(sets: readonly RetrievalSet[]): Promise<CallsMeasurement[]> {
  const together = buildCatalogueOf(sets.flatMap(documentsOfServer));
  const measured: CallsMeasurement[] = [];
  for (const [at, set] of sets.entries()) {
    const catalogue = buildCatalogueOf(hashedOrder(set.tools.map(documentOf)));
    const pairs = pairsOf(set);
    const queries = drawn(set.queries, QUERIES);
    const other = sets[(at + 1) % sets.length]!.name;
    const share = (
      list: readonly SetQuery[],
      wordings: (query: SetQuery) => readonly string[],
      topK = TOP_K,
    ) => shareFound(catalogue, list, { wordings, topK });
    const ofServers = (wordings: (query: SetQuery) => readonly string[]) => {
      const inSet = queries.map((query) => ({ ...query, gold: namesOfServer(set.name, query.gold) }));
      return shareFound(together, inSet, { wordings, topK: TOP_K });
    };
    const second = new Map(pairs);
    const firsts = pairs.map(([query]) => query);
    measured.push({
      set: set.name,
      pairs: pairs.length,
      oneWording: pairs.length === 0 ? undefined : await share(pairs.flat(), ({ text }) => [text]),
      twoWordings:
        pairs.length === 0
          ? undefined
          : await share(firsts, (query) => [query.text, second.get(query)!.text]),
      named: await share(queries, ({ text }) => [text], TOP_K + NEXT),
      together: await ofServers(({ text }) => [text]),
      rightServer: await ofServers(({ text }) => [text, `${set.name} ${text}`]),
      wrongServer: await ofServers(({ text }) => [text, `${other} ${text}`]),
    });
  }
  return measured;
}

function documentsOfServer({ name: server, tools }: RetrievalSet): ToolDocument[] {
  return tools.map((tool) => ({ ...documentOf(tool), name: `${server}__${tool.name}` }));
}

function namesOfServer(server: string, names: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...names].map((name) => `${server}__${name}`));
}

/** Returns pairs of different texts for the same tools. */
function pairsOf({ queries }: RetrievalSet): [SetQuery, SetQuery][] {
  const groups = Map.groupBy(queries, ({ gold }) => [...gold].sort().join('\n'));
  const pairs = [...groups.values()].flatMap((group) => {
    const ordered = drawn(group, 2 * PAIRS_EACH);
    const count = Math.floor(ordered.length / 2);
    return Array.from({ length: count }, (_, at): [SetQuery, SetQuery] => [
      ordered[2 * at]!,
      ordered[2 * at + 1]!,
    ]);
  });
  const different = pairs.filter(([one, other]) => one.text !== other.text);
  return hashedOrder(different.map((pair) => ({ name: pair[0].id, pair })))
    .slice(0, PAIRS)
    .map(({ pair }) => pair);
}

function drawn(queries: readonly SetQuery[], count: number): readonly SetQuery[] {
  return hashedOrder(queries.map((query) => ({ name: query.id, query })))
    .slice(0, count)
    .map(({ query }) => query);
}

async function shareFound(
  catalogue: Catalogue,
  queries: readonly SetQuery[],
  how: { readonly wordings: (query: SetQuery) => readonly string[]; readonly topK: number },
): Promise<number> {
  const hits: number[] = [];
  for (const query of queries) {
    const { names } = await selectTools(
      catalogue,
      { pattern: how.wordings(query), topK: how.topK, alwaysKeep: [], searchType: 'keyword' },
      noPause,
    );
    hits.push(names.some((name) => query.gold.has(name)) ? 1 : 0);
  }
  return mean(hits);
}

/** Returns a table with a row for each set. */
export function callsTable(measured: readonly CallsMeasurement[]): Table {
  return {
    title: 'Calls of several queries: share with a right tool among five',
    labels: 1,
    header: [
      ...['set', 'pairs', 'one wording', 'two wordings', `five or the next ${NEXT}`],
      ...['all sets together', 'with the right server', 'with a wrong one'],
    ],
    rows: measured.map((one) => [
      ...[one.set, String(one.pairs)],
      ...[one.oneWording, one.twoWordings, one.named, one.together, one.rightServer, one.wrongServer].map(
        (share) => figure(share),
      ),
    ]),
  };
}

const LEAST_GAIN = 2;

/** Returns the requirement: two wordings find more than one. */
export function callsMarks(measured: readonly CallsMeasurement[]): Mark[] {
  const gains = measured.flatMap(({ oneWording, twoWordings }) =>
    oneWording === undefined || twoWordings === undefined ? [] : [100 * (twoWordings - oneWording)],
  );
  if (gains.length === 0) return [];
  const gain = mean(gains);
  return [
    {
      what: `Hit@5 of two wordings over one, mean of ${gains.length} sets`,
      mark: `at least ${LEAST_GAIN} points more`,
      measured: figure(gain, 1),
      isMet: gain >= LEAST_GAIN,
    },
  ];
}
