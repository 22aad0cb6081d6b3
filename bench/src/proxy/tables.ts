import { type Figure, resultsTable } from '../marks.ts';
import { figure, type Table } from '../table.ts';
import type { LoopDelay } from './measure-delays.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { LoadedMemory } from './measure-memory-after-load.ts';
import { costsOf, PIPE, type RowCost } from './measure-rows.ts';
import type { SearchTimes } from './measure-search.ts';
import type { StartTimes } from './measure-starts.ts';
import type { ProxyRun } from './run.ts';

/** Returns the tables of a run that show more than its marks, for the parts that were measured. */
export function proxyTables(run: ProxyRun): Table[] {
  return [
    ...(run.costs.length > 0 ? [costTable(run.costs)] : []),
    ...(run.starts.length > 0 ? [startTable(run.starts)] : []),
    ...(run.searches.length > 0 ? [searchTable(run.searches)] : []),
    ...(run.delays.length > 0 ? [delayTable(run.delays)] : []),
    ...(run.growth ? [growthTable(run.growth)] : []),
  ];
}

/** Returns the table of the results page: what a request costs, and the marks. */
export function proxyPage(run: ProxyRun): Table {
  const figures = [
    ...run.costs.flatMap(costFigures),
    ...run.searches.flatMap(searchFigures),
    ...run.memory.flatMap(memoryFigures),
    ...delayFigures(run.delays),
    ...(run.growth ? growthFigures(run.growth) : []),
  ];
  return resultsTable(figures, run.marks);
}

/** Returns the receivers of a row, the pipe first. */
function receiversOf({ windows }: RowCost): string[] {
  const names = [...new Set(windows.map(({ receiver }) => receiver))];
  return [
    PIPE,
    ...names
      .filter((name) => name !== PIPE)
      .toSorted()
      .toReversed(),
  ];
}

function costTable(costs: readonly RowCost[]): Table {
  return {
    title: 'Cost per request',
    header: ['request', 'through', 'c', 'CPU µs', 'pipe CPU ÷ its CPU', 'p50 ms', 'requests/s'],
    rows: costs.flatMap((cost) =>
      receiversOf(cost).flatMap((receiver) =>
        costsOf(cost.windows, receiver).map(({ connections, cpuUs, ratio, p50Ms, perSecond }) => [
          cost.row.title,
          receiver,
          String(connections),
          figure(cpuUs, 0),
          figure(ratio?.median, 2),
          figure(p50Ms, 2),
          figure(perSecond, 0),
        ]),
      ),
    ),
    labels: 2,
  };
}

/** Returns the figures of a row; for formats other than Chat Completions, those of many connections only. */
function costFigures(cost: RowCost): Figure[] {
  const isShown = ({ connections }: { readonly connections: number }) =>
    cost.row.name !== 'formats' || connections > 1;
  return receiversOf(cost).flatMap((receiver) =>
    costsOf(cost.windows, receiver)
      .filter(isShown)
      .map(({ connections, cpuUs, p50Ms, perSecond }) => ({
        what: `${cost.row.title}, ${receiver}, c = ${connections}: CPU; p50; requests per second`,
        measured: `${figure(cpuUs, 0)} µs; ${figure(p50Ms, 2)} ms; ${figure(perSecond, 0)}`,
      })),
  );
}

const MIB = 2 ** 20;

function memoryFigures({ name, resident, peak }: LoadedMemory): Figure[] {
  const inMib = (bytes: number | undefined) => figure(bytes === undefined ? undefined : bytes / MIB, 0);
  const measured = `${inMib(resident)} MiB; ${inMib(peak)} MiB`;
  return [{ what: `resident memory after load, ${name}: at the end; most`, measured }];
}

/** Returns the longest delays by bodies of up to 1 MB, and by larger ones. */
function delayFigures(delays: readonly LoopDelay[]): Figure[] {
  return [false, true].flatMap((isLargest) => {
    const measured = delays.filter((delay) => delay.checkout === 'winnow' && delay.isLargest === isLargest);
    const [worst] = measured.toSorted((left, right) => right.longestMs - left.longestMs);
    if (worst === undefined) return [];
    const what = `longest delay of the event loop, ${isLargest ? 'the largest bodies' : 'bodies up to 1 MB'}`;
    return [{ what, measured: `${figure(worst.longestMs, 1)} ms (${worst.strategy}: ${worst.title})` }];
  });
}

function growthFigures({ growth, open }: MemoryCourse): Figure[] {
  return [
    { what: 'held memory grows per exchange', measured: `${figure(growth.held, 1)} bytes` },
    { what: 'exchanges still open after the last one', measured: String(open) },
  ];
}

function searchFigures({ checkout, strategy, warm, cold, afterDirect }: SearchTimes): Figure[] {
  const round = `a search round, ${checkout} ${strategy}`;
  return [
    {
      what: `${round}, tools searched before: p50; after direct`,
      measured: `${figure(warm.p50)} ms; ${figure(afterDirect.differenceMs)} ms`,
    },
    { what: `${round}, tools never seen: p50`, measured: `${figure(cold.p50)} ms` },
  ];
}

function searchTable(searches: readonly SearchTimes[]): Table {
  return {
    title: 'A full search round with 200 tools, streamed: two upstream requests and the search (ms)',
    header: ['proxy', 'strategy', 'tools', 'p50', 'p95', 'after direct', 'after the baseline', 'samples'],
    rows: searches.flatMap(({ checkout, strategy, warm, cold, afterDirect, afterBaseline }) => [
      [
        checkout,
        strategy,
        'searched before',
        figure(warm.p50),
        figure(warm.p95),
        figure(afterDirect.differenceMs),
        figure(afterBaseline?.differenceMs),
        String(warm.count),
      ],
      [checkout, strategy, 'never seen', figure(cold.p50), figure(cold.p95), '', '', String(cold.count)],
    ]),
    labels: 3,
  };
}

function startTable(starts: readonly StartTimes[]): Table {
  return {
    title: 'Start of the process to its first good response, with 200 tools (ms)',
    header: ['what', 'median', 'shortest', 'p95', 'CPU ms', 'starts'],
    rows: starts.map(({ name, times, cpuMs }) => [
      name,
      figure(times.p50, 0),
      figure(times.min, 0),
      figure(times.p95, 0),
      figure(cpuMs, 0),
      String(times.count),
    ]),
    labels: 1,
  };
}

function delayTable(delays: readonly LoopDelay[]): Table {
  return {
    title: 'The longest delay of the proxy’s event loop (ms)',
    header: ['body', 'proxy', 'strategy', 'KiB', 'longest', 'p50 of the longest', 'bodies'],
    rows: delays.map(({ title, checkout, strategy, bodyBytes, longestMs, p50Ms, bodies }) => [
      title,
      checkout,
      strategy,
      figure(bodyBytes / 1_024, 1),
      figure(longestMs, 1),
      figure(p50Ms, 1),
      String(bodies),
    ]),
    labels: 3,
  };
}

function growthTable({ points, growth }: MemoryCourse): Table {
  return {
    title: 'Memory of the proxy over streamed exchanges (MiB)',
    header: ['exchanges', 'resident', 'held after collection'],
    rows: [
      ...points.map(({ exchanges, resident, held }) => [
        String(exchanges),
        figure(resident / 2 ** 20, 1),
        figure(held / 2 ** 20, 2),
      ]),
      ['bytes per exchange', figure(growth.resident, 0), figure(growth.held, 1)],
    ],
    labels: 1,
  };
}
