import type { StoredRecord } from '@winnow/core';
import { EvidenceTally, ownWordsOf } from '@winnow/learning';
import { buildCatalogueOf, type Catalogue, lackedWords, noPause, selectTools } from '@winnow/ranking';
import { hashText } from '../hash-text.ts';
import type { Mark } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { documentOf } from './measure-set.ts';
import { hitAtOne } from './metrics.ts';
import type { RetrievalSet, SetQuery } from './read-sets.ts';

/** Hit@1 of the second half of a set's conversations, before and after learning from the first half. */
export interface OwnWordsMeasurement {
  readonly set: string;
  /** Number of learned words, over all tools. */
  readonly words: number;
  readonly all: BeforeAndAfter;
  /** The same for queries whose tools no conversation of the first half called. */
  readonly withoutHistory: BeforeAndAfter;
}

interface BeforeAndAfter {
  readonly queries: number;
  /** Undefined without queries. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** Clients whose conversations they are, in turn: no word is learned from one client alone. */
const CLIENTS = 5;

/** Measures what tools learn from searches that led to them. Hashes draw the halves. */
export async function measureOwnWords(sets: readonly RetrievalSet[]): Promise<OwnWordsMeasurement[]> {
  return Promise.all(sets.map(measureSet));
}

async function measureSet(set: RetrievalSet): Promise<OwnWordsMeasurement> {
  const conversations = [...Map.groupBy(set.queries, conversationOf)];
  conversations.sort(([one], [other]) => (hashText(one) < hashText(other) ? -1 : 1));
  const first = conversations.slice(0, conversations.length / 2);
  const second = conversations.slice(first.length).flatMap(([, queries]) => queries);
  const called = new Set(first.flatMap(([, queries]) => queries.flatMap(({ gold }) => [...gold])));
  const learned = learnFrom(set, first);
  const catalogue = buildCatalogueOf(set.tools.map(documentOf));
  const isNew = ({ gold }: SetQuery) => ![...gold].some((name) => called.has(name));
  return {
    set: set.name,
    words: Object.values(learned).flat().length,
    all: await compare(catalogue, second, learned),
    withoutHistory: await compare(catalogue, second.filter(isNew), learned),
  };
}

/** Queries of one dialogue are numbered behind its own number. */
function conversationOf({ id }: SetQuery): string {
  return id.replace(/(?<=\d)-\d+$/, '');
}

function learnFrom(
  { tools }: RetrievalSet,
  conversations: readonly (readonly [id: string, queries: readonly SetQuery[]])[],
): Record<string, string[]> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const evidence = new EvidenceTally();
  for (const [at, [session, queries]] of conversations.entries()) {
    for (const { text, gold } of queries) {
      const names = [...gold];
      const taught = names.flatMap((name) => {
        const tool = byName.get(name);
        return tool === undefined ? [] : [{ tool: name, words: lackedWords(text, tool) }];
      });
      const agent = { id: 'bench', client: `client ${at % CLIENTS}` };
      evidence.add({ ...RECORD, session, agent, called: names, taught });
    }
  }
  return Object.assign({}, ...evidence.result().map(ownWordsOf));
}

async function compare(
  catalogue: Catalogue,
  queries: readonly SetQuery[],
  learned: Record<string, string[]>,
): Promise<BeforeAndAfter> {
  if (queries.length === 0) return { queries: 0, before: undefined, after: undefined };
  const hitShare = async (words: Record<string, string[]>) =>
    mean(await Promise.all(queries.map((query) => hits(catalogue, query, words))));
  return { queries: queries.length, before: await hitShare({}), after: await hitShare(learned) };
}

async function hits(catalogue: Catalogue, { text, gold }: SetQuery, learned: Record<string, string[]>) {
  const taught = Object.entries(learned).map(([name, words]) => ({ name, words }));
  const query = { pattern: text, topK: 5, alwaysKeep: [], searchType: 'keyword', taught } as const;
  const { names } = await selectTools(catalogue, query, noPause);
  return hitAtOne(names, gold);
}

const RECORD: StoredRecord = {
  version: 1,
  event: 'exchange',
  time: '2026-01-01T00:00:00.000Z',
  requestId: 'bench',
  upstream: 'bench',
  format: 'bench',
  isStream: false,
  strategy: 'tool-search',
  arm: 'full',
  armReason: 'rollout_full',
  planReason: 'deferred',
  loadMode: 'bridge',
  tools: { total: 1, kept: 0, deferred: 1, loaded: 1 },
  searches: [],
  upstreamCalls: 2,
  hiddenTurnsKnown: 0,
  sessionErrors: 0,
  toolBytes: { before: 0, after: 0, estimatedTokensBefore: 0, estimatedTokensAfter: 0 },
  planMs: 0,
  sessionMs: 0,
  searchMs: 0,
  hiddenRoundsMs: 0,
  addedMs: 0,
  totalMs: 0,
  status: 200,
  outcome: 'answered',
};

/** Returns a table with a row for each set. */
export function ownWordsTable(measured: readonly OwnWordsMeasurement[]): Table {
  return {
    title: 'Own words: Hit@1 of one half of the conversations, after learning from the other',
    header: ['set', 'queries', 'words', 'before', 'after', 'without history', 'before', 'after'],
    rows: measured.map(({ set, words, all, withoutHistory }) => [
      set,
      String(all.queries),
      String(words),
      figure(all.before),
      figure(all.after),
      String(withoutHistory.queries),
      figure(withoutHistory.before),
      figure(withoutHistory.after),
    ]),
    labels: 1,
  };
}

/** The set with dialogues, whose tools are called again and again. */
const DIALOGUES = 'bfcl-mt';
const LEAST_GAIN = 0.05;

/** Returns the requirements: dialogues gain, and tools without history lose nothing in any set. */
export function ownWordsMarks(measured: readonly OwnWordsMeasurement[]): Mark[] {
  const dialogues = measured.find(({ set }) => set === DIALOGUES)?.all;
  const losses = measured.flatMap(({ withoutHistory: { before, after } }) =>
    before === undefined || after === undefined ? [] : [before - after],
  );
  const gain = dialogues === undefined ? undefined : (dialogues.after ?? 0) - (dialogues.before ?? 0);
  const loss = Math.max(0, ...losses);
  return [
    ...(gain === undefined
      ? []
      : [
          {
            what: `own words: Hit@1 gained on ${DIALOGUES}`,
            mark: `at least ${LEAST_GAIN}`,
            measured: figure(gain),
            isMet: gain >= LEAST_GAIN,
          },
        ]),
    ...(measured.length === 0
      ? []
      : [
          {
            what: 'own words: Hit@1 lost on tools without history, in any set',
            mark: 'none',
            measured: figure(loss),
            isMet: loss === 0,
          },
        ]),
  ];
}
