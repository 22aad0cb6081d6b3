import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runSearch } from '../packages/embeddings/bin/run-search.ts';

const ROOT = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

type Row = Readonly<Record<string, string>>;

/** The rows of a page of results, by the name of their column. */
function rowsOf(path: string): readonly Row[] {
  let columns: string[] | undefined;
  return read(path)
    .split('\n')
    .flatMap((line) => {
      if (!line.startsWith('|')) {
        columns = undefined;
        return [];
      }
      const cells = line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim());
      if (columns === undefined) {
        columns = cells;
        return [];
      }
      if (cells.every((cell) => /^:?-+:?$/.test(cell))) return [];
      return [Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? '']))];
    });
}

/** Columns of names, matched by their beginnings. */
const NAMES = ['what', 'set'];

const isCalled = (name: string | undefined, beginning: string) =>
  name?.startsWith(beginning) && !name.endsWith(', baseline');

/** The row of the results that has these cells. */
function result(file: string, where: Row): Row {
  const isWanted = (row: Row) =>
    Object.entries(where).every(([column, cell]) =>
      NAMES.includes(column) ? isCalled(row[column], cell) : row[column] === cell,
    );
  const found = rowsOf(`bench/results/${file}.md`).filter(isWanted);
  expect(found.length, `${file}: ${JSON.stringify(where)}`).toBe(1);
  return found[0]!;
}

/** The values in the row of the results that begins so. */
function measured(file: string, what: string): readonly string[] {
  return result(file, { what }).measured!.split('; ');
}

const thousands = (value: number) => Math.round(value).toLocaleString('en-US');
/** `0.803` as the README writes it. */
const bare = (value: string | undefined) => value!.replace(/^0/, '');
const toHundreds = (value: string) => thousands(Math.round(Number(value) / 100) * 100);

// Retrieval.
const mean = (ranker: string) => result('retrieval', { set: 'mean of', ranker });
const READABLE = ['NDCG@10', 'misspelt NDCG@10', 'own Hit@1'];
const meanRow = (label: string, ranker: string) =>
  `| ${label} | ${READABLE.map((column) => bare(mean(ranker)[column])).join(' | ')} |`;
const [, toolCount] = /found first: (\d+) of/.exec(read('bench/results/retrieval.md'))!;

// Preloading.
const preload = (k: string) => result('preload', { set: 'mean', k });
const preloadedSets = rowsOf('bench/results/preload.md').filter(({ set, k }) => set !== 'mean' && k === '5');
const bySet = preloadedSets.map((row) => Number(row['no search, %']));
const largestPreloaded = Math.max(...preloadedSets.map((row) => Number(row.tools)));

// Cost.
const cost = (what: string) => {
  const [cpu, , perSecond] = measured('proxy', `${what}, winnow, c = 16:`);
  return { ms: (Number.parseFloat(cpu!) / 1_000).toFixed(2), perSecond: thousands(Number(perSecond)) };
};
const deferred = cost('200 tools deferred, a new conversation each');
const small = cost('1 KB without tools');
/** The p50 of one request at a time in a conversation with 200 deferred tools, in milliseconds. */
const alone = (through: string) =>
  Number.parseFloat(
    measured('proxy', `200 tools deferred, the next request of a conversation, ${through}, c = 1:`)[1]!,
  );
const roundMs = (strategy: string, tools: string) =>
  Number.parseFloat(measured('proxy', `a search round, winnow ${strategy}, tools ${tools}:`)[0]!);
const round = (seen: string) => Math.round(roundMs('api', seen));
/**
 * The time that a search adds, in whole milliseconds: for known tools relative to the direct way, for new
 * ones in total.
 */
const addedByRound = (strategy: string, tools: string) => {
  const [p50, afterDirect] = measured('proxy', `a search round, winnow ${strategy}, tools ${tools}:`);
  return Math.round(Number.parseFloat(afterDirect ?? p50!));
};
const roundRow = (label: string, strategy: string) =>
  `| ${label} | ${roundMs(strategy, 'searched before').toFixed(1)} ms | ${Math.round(roundMs(strategy, 'never seen'))} ms |`;
const soakPeak = Math.max(
  ...['proxy 1', 'proxy 2'].map((name) =>
    Number.parseFloat(measured('soak', `${name}: most resident memory`)[0]!),
  ),
);
const peak = Number.parseFloat(measured('proxy', 'resident memory after load, winnow')[1]!);
const selector = (what: string) => Number.parseFloat(measured('selector', `500 tools: HTTP, ${what}`)[0]!);
const selectorPeak = Number.parseFloat(measured('selector', 'most memory of the process')[0]!);
const indexingMs = Number.parseFloat(measured('selector', '2000 tools: bm25')[0]!);

// MCP servers behind one entry.
const [direct, door, searched] = measured('mcp', 'tokens (o200k_base) of 20 servers');
const addedToCalls = ['modern', 'legacy'].map((era) =>
  Number.parseFloat(measured('mcp', `added to a call by the front door, ${era}`)[0]!),
);

// Money.
const billRow = (agent: string) =>
  `| ${agent} | ${['0.5', '1', '2', '3', '11'].map((searches) => result('money', { agent, cache: 'warm' })[`always, ${searches}`]!).join(' | ')} |`;

// Tools for Letta agents.
const [rightShare] = measured('attach', 'right tools among the first ten');

/**
 * The claims of documents about measurements. Each text is made from the results, so both change or neither
 * does.
 */
const CLAIMS: readonly (readonly [document: string, text: string])[] = [
  ['README.md', meanRow('Winnow', 'bm25')],
  ...['Claude Code', 'Codex', 'Copilot', 'Gemini CLI', 'opencode', 'Cline', 'Continue'].map(
    (mode) => ['docs/getting-started/cost-of-a-search.md', billRow(mode)] as const,
  ),
  ['README.md', meanRow('Winnow, ordering by meaning too', 'bm25+meaning')],
  ['README.md', meanRow("wink-bm25-text-search, with Winnow's tokens", 'wink')],
  ['README.md', `${thousands(Number(toolCount))} tools in all`],
  [
    'README.md',
    `a search adds ${addedByRound('tool-search', 'searched before')} to ${addedByRound('api', 'searched before')} ms for tools that were searched before and ${addedByRound('tool-search', 'never seen')} to ${addedByRound('api', 'never seen')} ms for new tools`,
  ],
  ['docs/getting-started/cost-of-a-search.md', roundRow('in the proxy (`tool-search`)', 'tool-search')],
  ['docs/getting-started/cost-of-a-search.md', roundRow('by the selector (`api`)', 'api')],
  [
    'docs/getting-started/cost-of-a-search.md',
    `meet all needs of ${preload('5')['no search, %']} % of first messages, so no search is needed. These catalogues have ${largestPreloaded} tools at most`,
  ],
  [
    'docs/getting-started/cost-of-a-search.md',
    `The share ranges from ${Math.round(Math.min(...bySet))} to ${Math.round(Math.max(...bySet))} %`,
  ],
  [
    'docs/clients/mcp.md',
    `With 20 servers of 20 real tools each, a model's context holds ${direct} tokens of definitions when the agent has the servers itself, ${door} with the front door, and ${toHundreds(searched!.replace(',', ''))} after three searches`,
  ],
  [
    'docs/reference/proxy.md',
    `five of them meet the needs of ${preload('5')['no search, %']} % of first messages without a search, for ${preload('5').tokens} tokens of ${toHundreds(preload('5')['tokens of all']!)}`,
  ],
  [
    'docs/operations/sizing.md',
    `| a proxy's CPU, 200 tools deferred, a new conversation | ${deferred.ms} ms for each request; ${deferred.perSecond} requests per second |`,
  ],
  [
    'docs/operations/sizing.md',
    `| a proxy's CPU, small requests without tools | ${small.ms} ms; ${small.perSecond} per second |`,
  ],
  [
    'docs/operations/sizing.md',
    `| added to a request without searches, 200 tools | ${(alone('winnow') - alone('pipe')).toFixed(2)} ms p50 more than a bare pipe |`,
  ],
  [
    'docs/operations/sizing.md',
    `| a search round, 200 tools, by the selector | ${round('searched before')} ms p50 when the tools were searched before, ${round('never seen')} ms when not`,
  ],
  [
    'docs/operations/sizing.md',
    `| a proxy's memory | ${peak} MiB at most in ten minutes of load at 16 connections, ${Math.round(soakPeak)} MiB in a soak`,
  ],
  ['docs/operations/sizing.md', `| a selector's memory | ${(selectorPeak / 1024).toFixed(1)} GiB at most`],
  [
    'docs/operations/sizing.md',
    `| a selector's CPU, 500 tools | ${selector('warm').toFixed(1)} ms p50 for known tools, ${Math.round(selector('cold'))} ms for new ones |`,
  ],
  ['docs/reference/attach.md', `${(100 * Number(rightShare)).toFixed(1)} % score at least 35`],
  ['docs/reference/proxy.md', `about ${Math.round((indexingMs * 1_000) / 2_000)} µs per tool`],
];

test.each(CLAIMS)('%s says what was measured: %s', (document, text) => {
  expect(read(document)).toContain(text);
});

test('the guide may say that the front door adds a millisecond or two to a call', () => {
  expect(read('docs/clients/mcp.md')).toContain('a call takes a millisecond or two longer');
  expect(addedToCalls.length).toBeGreaterThan(1);
  for (const ms of addedToCalls) expect(Math.round(ms)).toBeLessThanOrEqual(2);
});

describe('the README', () => {
  test('names as many sets as were measured', () => {
    const { set } = mean('bm25');
    const names = /BFCL[^.]*/.exec(read('README.md'))![0].split(/, | and /);
    expect(set).toBe(`mean of ${names.length}`);
  });

  test('shows a search that finds the right tool', async () => {
    const [, query] = /npm run search -- examples\/tools\.jsonl "(.+)"/.exec(read('README.md'))!;
    const lines: string[] = [];
    const output = { print: (line: string) => void lines.push(line), printError: () => {} };
    expect(await runSearch(['examples/tools.jsonl', query!], output, undefined)).toBe(0);
    expect(lines.find((line) => line.startsWith('1 '))).toContain('travel_book');
  });

  test('has 110 lines at most', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(110);
  });
});

/** Whether a text contains a measured value: a rate, a time or a size. */
const MEASURED =
  /\d (?:ms p50|requests per second|MiB resident|µs|(?:ms|s) of (?:CPU|processor))|(?<=[\s|])[.]\d{3}\b|\d ms for each/;

test('no page of the documentation has a measured figure that is not compared', () => {
  const pages = [
    'README.md',
    ...globSync('docs/{getting-started,clients,operations,reference,internals}/**/*.md', { cwd: ROOT }),
  ];
  const known = CLAIMS.map(([, text]) => text);
  const loose = pages.flatMap((page) =>
    read(page)
      .split('\n')
      .filter(
        (line) => MEASURED.test(line) && !line.includes('"') && !known.some((text) => line.includes(text)),
      )
      .map((line) => `${page}: ${line.slice(0, 120)}`),
  );
  expect(loose).toEqual([]);
});
