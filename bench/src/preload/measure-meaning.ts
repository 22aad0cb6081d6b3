import type { PatientMeanings } from '@winnow/embeddings';
import { createPreload, localSearch, preloadByMeaning } from '@winnow/proxy';
import { noPause } from '@winnow/ranking';
import { SILENT_SPAN } from '@winnow/service';
import type { RetrievalSet, SetTool } from '../retrieval/read-sets.ts';
import { figure, type Table } from '../table.ts';
import { conversationsOf, type Measured, measureNames, RULES } from './measure-preload.ts';
import { viewOf } from './request-of.ts';

/** Maximum number of preloaded tools: the default. */
const LIMIT = 6;

/** Results of both rankings for one set. */
export interface MeaningMeasurement {
  readonly set: string;
  readonly conversations: number;
  readonly words: Measured;
  readonly meaning: Measured;
}

/** Returns a preload by words and meaning, as the proxy does it with an embedder that is never late. */
export function preloadWith(meanings: PatientMeanings, rules = { ...RULES, limit: LIMIT }) {
  const preload = createPreload(rules);
  const search = localSearch({
    pause: noPause,
    meaning: {
      secretDescriptions: [],
      meanings: {
        learn: () => {},
        search: ({ count, textOf }) => ({
          ...meanings.source(count, (position) => textOf(position)!),
          ...{ wasAsked: true, degraded: undefined },
        }),
      },
    },
  });
  return async (message: string, tools: readonly SetTool[]): Promise<readonly string[]> => {
    const view = viewOf(message, tools);
    const question = preload.questionOf(view);
    if (question === undefined) return [];
    const about = { requestId: 'bench', span: SILENT_SPAN, signal: new AbortController().signal };
    const names = await preloadByMeaning(view, question, search, about);
    return names ?? preload.byWords(view);
  };
}

/** Measures the conversations of a set with both rankings. */
export async function measureMeaning(
  set: RetrievalSet,
  meanings: PatientMeanings,
): Promise<MeaningMeasurement> {
  const byWords = createPreload({ ...RULES, limit: LIMIT });
  const byMeaning = preloadWith(meanings);
  const [words, meaning] = [[], []] as [Named[], Named[]];
  const conversations = conversationsOf(set);
  for (const conversation of conversations) {
    const { query, tools } = conversation;
    words.push({ conversation, names: await byWords.byWords(viewOf(query.text, tools)) });
    meaning.push({ conversation, names: await byMeaning(query.text, tools) });
  }
  return {
    set: set.name,
    conversations: conversations.length,
    words: measureNames(words),
    meaning: measureNames(meaning),
  };
}

type Named = Parameters<typeof measureNames>[0][number];

/** Returns a table with both rankings for each set, and the mean of all. */
export function meaningTable(measured: readonly MeaningMeasurement[]): Table {
  const share = (value: number) => figure(value * 100, 1);
  const mean = (of: (one: MeaningMeasurement) => number) =>
    measured.reduce((sum, one) => sum + of(one), 0) / measured.length;
  const meanOf = (by: 'words' | 'meaning'): Measured => ({
    needsMet: mean((one) => one[by].needsMet),
    withoutSearch: mean((one) => one[by].withoutSearch),
    tokens: mean((one) => one[by].tokens),
  });
  const total = {
    set: 'mean',
    conversations: measured.reduce((sum, { conversations }) => sum + conversations, 0),
    words: meanOf('words'),
    meaning: meanOf('meaning'),
  };
  return {
    title: `By words alone, and by words and meaning: at most ${LIMIT} tools`,
    labels: 1,
    header: [
      ...['set', 'conversations', 'needs met by words, %', 'needs met by meaning, %'],
      ...['no search by words, %', 'no search by meaning, %', 'tokens by words', 'tokens by meaning'],
    ],
    rows: [...measured, ...(measured.length > 1 ? [total] : [])].map(
      ({ set, conversations, words, meaning }) => [
        ...[set, String(conversations), share(words.needsMet), share(meaning.needsMet)],
        ...[share(words.withoutSearch), share(meaning.withoutSearch)],
        ...[figure(words.tokens, 0), figure(meaning.tokens, 0)],
      ],
    ),
  };
}
