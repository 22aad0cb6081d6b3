import type { Figure } from '../marks.ts';
import type { TimeSummary } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import type { LoadTimes } from './measure-load.ts';
import type { RankerTimes } from './measure-rankers.ts';
import type { HttpTimes, RequestTimes } from './measure-requests.ts';
import type { StallTimes } from './measure-stall.ts';
import type { SelectorRun } from './run.ts';

/** Returns the tables of a run. */
export function selectorTables(run: SelectorRun): Table[] {
  return [
    requestsTable(run.requests),
    rankersTable(run.rankers),
    loadTable([...run.load, run.receiving]),
    stallTable(run.stall),
    memoryTable(run.selectorMemory),
  ];
}

const HTTP_KINDS: readonly (readonly [kind: keyof HttpTimes, title: string])[] = [
  ['cold', 'HTTP, cold'],
  ['warm', 'HTTP, warm (same tools inline)'],
  ['changed', 'HTTP, one tool changed'],
  ['catalogId', 'HTTP, catalog_id'],
];

/** Numbers of tools that the page shows. */
const SHOWN_SIZES = [500, 2_000, 10_000];

/** Returns times of requests and rankers, and the most memory. */
export function selectorFigures({ requests, rankers, selectorMemory }: SelectorRun): readonly Figure[] {
  const ofRequests = requests
    .filter(({ size }) => SHOWN_SIZES.includes(size))
    .flatMap(({ size, winnow }) =>
      HTTP_KINDS.map(([kind, title]) => ({
        what: `${size} tools: ${title}, p50 and p95`,
        measured: `${figure(winnow[kind].p50)} ms, ${figure(winnow[kind].p95)} ms`,
      })),
    );
  const ofRankers = rankers
    .filter(({ size }) => SHOWN_SIZES.includes(size))
    .map(({ size, ranker, build, query }) => ({
      what: `${size} tools: ${ranker}, build and query, p50`,
      measured: `${figure(build.p50, 1)} ms, ${figure(query.p50)} ms`,
    }));
  return [
    ...ofRequests,
    ...ofRankers,
    { what: 'most memory of the process', measured: `${mebibytes(selectorMemory?.peak)} MiB` },
  ];
}

function requestsTable(requests: readonly RequestTimes[]): Table {
  return {
    title: 'One request at a time (ms)',
    header: ['tools', 'body KiB', 'what', 'p50', 'p95', 'p99', 'times JSON.parse', 'samples'],
    rows: requests.flatMap((times) => {
      const { winnow, baseline } = times;
      const httpRows = HTTP_KINDS.flatMap(([kind, title]) => [
        requestRow(times, title, winnow[kind]),
        ...(baseline ? [requestRow(times, `${title}, baseline`, baseline[kind])] : []),
      ]);
      return [
        requestRow(times, 'JSON.parse of the body', times.jsonParse),
        ...httpRows,
        requestRow(times, 'in process: parse, index, rank', times.inProcessCold),
        requestRow(times, 'in process: rank', times.inProcessRank),
      ];
    }),
    labels: 3,
  };
}

function requestRow(
  { size, bodyBytes, jsonParse }: RequestTimes,
  title: string,
  summary: TimeSummary,
): string[] {
  return [
    String(size),
    figure(bodyBytes / 1_024, 0),
    title,
    ...percentiles(summary),
    figure(summary.p50 / jsonParse.p50, 2),
    String(summary.count),
  ];
}

function rankersTable(rankers: readonly RankerTimes[]): Table {
  return {
    title: 'Rankers on the same documents (ms)',
    header: [
      'tools',
      'ranker',
      'build p50',
      'build p95',
      'builds',
      'query p50',
      'query p95',
      'query p99',
      'whole search p50',
      'p95',
      'bytes per tool',
    ],
    rows: rankers.map(({ size, ranker, build, query, search, bytesPerTool }) => [
      String(size),
      ranker,
      figure(build.p50, 1),
      figure(build.p95, 1),
      String(build.count),
      ...percentiles(query),
      figure(search?.p50),
      figure(search?.p95),
      figure(bytesPerTool, 0),
    ]),
    labels: 2,
  };
}

function loadTable(load: readonly LoadTimes[]): Table {
  return {
    title: 'Several requests at a time (ms)',
    header: ['tools', 'what', 'at a time', 'p50', 'p95', 'p99', 'longest', 'requests'],
    rows: load.map(({ tools, what, selector, atATime, times }) => [
      String(tools),
      selector === 'baseline' ? `${what}, baseline` : what,
      String(atATime),
      ...percentiles(times, 1),
      figure(times.max, 1),
      String(times.count),
    ]),
    labels: 2,
  };
}

function stallTable(stall: StallTimes): Table {
  const rows: [string, string][] = [
    ['longest answer of a small request, nothing else going on', figure(stall.idleMax, 1)],
    [
      'longest answer while the catalogue builds, each round',
      stall.longest.map((ms) => figure(ms, 1)).join(', '),
    ],
    ['the large request itself, each round', stall.buildMs.map((ms) => figure(ms, 0)).join(', ')],
    ['small requests answered meanwhile', String(stall.answers)],
    ['longest pause of the bench itself', figure(stall.ownPauseMax, 1)],
    ['longest pause by the selector’s own metric, to 10 ms', figure(stall.selectorPauseMax, 1)],
  ];
  return {
    title: `While ${stall.tools} tools are indexed (ms)`,
    header: ['what', 'measured'],
    rows,
    labels: 1,
  };
}

function memoryTable(memory: SelectorRun['selectorMemory']): Table {
  const rows = [
    ['at the end', mebibytes(memory?.resident)],
    ['at most', mebibytes(memory?.peak)],
  ];
  return { title: 'Memory of the selector’s process (MiB)', header: ['when', 'resident'], rows, labels: 1 };
}

function mebibytes(bytes: number | undefined): string {
  return figure(bytes === undefined ? undefined : bytes / 2 ** 20, 0);
}

function percentiles({ p50, p95, p99 }: TimeSummary, decimals = 3): string[] {
  return [p50, p95, p99].map((ms) => figure(ms, decimals));
}
