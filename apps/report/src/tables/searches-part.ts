import { SearchRecord } from '@winnow/core';
import type { SearchResults } from '../sections/searches.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatMs, formatShare } from '../text/format.ts';
import type { Part, Table } from './cells.ts';
import { countRows, namesTable } from './cells.ts';

/** Returns the searches of models, the shadow searches, and the tools found. */
export function searchesPart({ searches, watching }: Sections): Part {
  const byModels = searches.results;
  const shadow = watching.searches;
  if (byModels.searches + shadow.searches === 0) {
    return { id: 'searches', title: 'Searches', sentences: ['No search was made.'], tables: [] };
  }
  return {
    id: 'searches',
    title: 'Searches',
    sentences: searchSentences({ searches, watching }),
    tables: [
      outcomesTable(byModels, shadow),
      timesTable(byModels, shadow),
      roundsTable(searches),
      namesTable("Found most often, by models' searches", 'Tool', byModels.mostFound),
      namesTable('Found most often, alongside requests', 'Tool', shadow.mostFound),
    ],
  };
}

function searchSentences({ searches, watching }: Pick<Sections, 'searches' | 'watching'>): string[] {
  const { exchangesWithSearch, possible, results } = searches;
  const share = formatShare(exchangesWithSearch / possible);
  const inVain = results.inVain + watching.searches.inVain;
  return [
    ...(possible === 0
      ? []
      : [
          `In ${formatCount(exchangesWithSearch)} of ${formatCount(possible)} exchanges whose model could search (${share}), it did.`,
        ]),
    ...(inVain === 0
      ? []
      : [
          `${formatCount(inVain)} of ${formatCount(results.searches + watching.searches.searches)} searches found no certain match. Their texts are recorded with records.query_text.`,
        ]),
  ];
}

/** The outcomes in words. */
export const OUTCOME_WORDS: Readonly<Record<SearchRecord['outcome'], string>> = {
  found: 'found',
  weak: 'too little matched',
  no_match: 'nothing matched',
  limit: 'not answered: the limit of searches was reached',
  missing_api_endpoint: 'failed: missing_api_endpoint',
  empty_query: 'failed: empty_query',
  api_error: 'failed: api_error',
  api_timeout: 'failed: api_timeout',
  circuit_open: 'failed: circuit_open',
  empty_selection: 'failed: empty_selection',
  unknown_selection_names: 'failed: unknown_selection_names',
  client_gone: 'the client had disconnected',
};

function outcomesTable(byModels: SearchResults, shadow: SearchResults): Table {
  const rows = SearchRecord.shape.outcome.options
    .filter((outcome) => byModels.outcomes[outcome] !== undefined || shadow.outcomes[outcome] !== undefined)
    .map((outcome) => [
      OUTCOME_WORDS[outcome],
      ...outcomeCells(byModels, outcome),
      ...outcomeCells(shadow, outcome),
    ]);
  return {
    title: 'Outcomes of searches',
    columns: ['Outcome', 'By models', 'Share', 'Alongside requests', 'Share'],
    rows,
  };
}

function outcomeCells({ searches, outcomes }: SearchResults, outcome: SearchRecord['outcome']): string[] {
  const count = outcomes[outcome] ?? 0;
  return [formatCount(count), searches === 0 ? '' : formatShare(count / searches)];
}

function timesTable(byModels: SearchResults, shadow: SearchResults): Table {
  const row = (label: string, { ms, namesFound }: SearchResults) => [
    label,
    formatCount(ms.count),
    ...[ms.p50, ms.p95, ms.p99, ms.max].map(formatMs),
    namesFound.count === 0 ? '' : namesFound.mean.toFixed(1),
  ];
  const rows: [string, SearchResults][] = [
    ['By models', byModels],
    ['Alongside requests', shadow],
  ];
  return {
    title: 'Time of one search, and tools it found',
    columns: ['Asked', 'Searches', 'p50', 'p95', 'p99', 'Longest', 'Found, mean'],
    rows: rows.filter(([, { searches }]) => searches > 0).map(([label, results]) => row(label, results)),
  };
}

function roundsTable({ upstreamCalls, possible }: Sections['searches']): Table {
  return {
    title: 'Requests to the upstream per exchange that could search',
    columns: ['Requests', 'Exchanges', 'Share'],
    rows: countRows(upstreamCalls, possible).sort(([a], [b]) => (a! < b! ? -1 : 1)),
    note: '1: the model did not search. Each further one is a hidden round or a restored request.',
  };
}
