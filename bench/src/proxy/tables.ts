import { type Figure, resultsTable } from '../marks.ts';
import { figure, type Table } from '../table.ts';
import { OF_CHAT } from './forwarding-marks.ts';
import { firstContentTable, forwardingFigures, forwardingTable, kibibytes } from './forwarding-tables.ts';
import { addedMs } from './marks.ts';
import type { LoopDelay } from './measure-delays.ts';
import { inProcessTable } from './measure-in-process.ts';
import type { Latency } from './measure-latency.ts';
import { loadModesTable } from './measure-load-modes.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { PeakMemory } from './measure-peak.ts';
import type { RolloutTimes } from './measure-rollout.ts';
import type { SearchTimes } from './measure-search.ts';
import { type SessionTimes, STORES } from './measure-sessions.ts';
import type { StartTimes } from './measure-starts.ts';
import { pairTable } from './pair-cost.ts';
import { ROUTE_NAMES } from './routes.ts';
import type { LoadLatency, ProxyRun } from './run.ts';

/** Returns the tables of a run, for the parts that were measured. */
export function proxyTables(run: ProxyRun): Table[] {
  return [
    ...run.forwarding.map(forwardingTable),
    ...run.firstContent.map(firstContentTable),
    ...(run.searches.length > 0 ? [searchTable(run.searches)] : []),
    ...(run.starts.length > 0 ? [startTable(run.starts)] : []),
    ...(run.peaks.length > 0 ? [peakTable(run.peaks)] : []),
    ...(run.delays.length > 0 ? [delayTable(run.delays)] : []),
    ...(run.latency.length > 0 ? latencyTables(run.latency) : []),
    ...(run.growth ? [growthTable(run.growth)] : []),
    ...(run.rollout.length > 0 ? [rolloutTable(run.rollout), fullRateTable(run.rollout)] : []),
    ...(run.sessions.length > 0 ? [sessionTable(run.sessions)] : []),
    ...(['page', 'profiles'] as const).flatMap((pair) => {
      const costs = run.pairs.filter((cost) => cost.pair === pair);
      return costs.length > 0 ? [pairTable(pair, costs)] : [];
    }),
    ...(run.inProcess.length > 0 ? [inProcessTable(run.inProcess)] : []),
    ...(run.loadModes.length > 0 ? [loadModesTable(run.loadModes)] : []),
  ];
}

/**
 * Returns the table of the results page: what a request costs in Chat Completions, the rounds, and the marks of
 * the product. Of the other formats, it has the cost in terms of Chat Completions.
 */
export function proxyPage(run: ProxyRun): Table {
  const chat = run.forwarding.filter(({ load }) => load === 'small' || load === 'tools');
  const others = run.forwarding.filter(({ load }) => !OF_CHAT.has(load)).map(({ title }) => title);
  const isLeftOut = (what: string) =>
    what.startsWith('the bench does not limit') ||
    what.startsWith('requests per second') ||
    what.startsWith('CPU per request in bridge mode') ||
    what.startsWith('CPU per request with') ||
    (what.includes('in terms of Chat')
      ? what.endsWith('c = 1')
      : others.some((title) => what.includes(title)));
  const marks = run.marks.filter(({ what }) => !isLeftOut(what));
  return resultsTable([...chat.flatMap(forwardingFigures), ...run.searches.flatMap(searchFigures)], marks);
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

function latencyTables(latencies: readonly LoadLatency[]): Table[] {
  return [
    addedTable(latencies, 'until the last byte of a whole response', 'total', ({ whole }) => whole),
    addedTable(latencies, 'until the first byte of a streamed response', 'firstByte', ({ stream }) => stream),
  ];
}

function addedTable(
  latencies: readonly LoadLatency[],
  what: string,
  until: 'firstByte' | 'total',
  choose: (latency: LoadLatency) => Latency,
): Table {
  return {
    title: `One exchange at a time, ${what} (ms)`,
    header: [
      'request',
      ...ROUTE_NAMES.map((name) => `${name} p50`),
      ...ROUTE_NAMES.map((name) => `${name} p95`),
      'after direct',
      'after pipe',
      'samples',
    ],
    rows: latencies.map((one) => {
      const latency = choose(one);
      return [
        one.title,
        ...ROUTE_NAMES.map((name) => figure(latency[until][name].p50)),
        ...ROUTE_NAMES.map((name) => figure(latency[until][name].p95)),
        figure(addedMs(latency, 'direct', until)),
        figure(addedMs(latency, 'pipe', until)),
        String(latency[until].proxy.count),
      ];
    }),
    labels: 1,
  };
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

function peakTable(peaks: readonly PeakMemory[]): Table {
  return {
    title:
      'The most memory of fresh processes (MiB), 200 tools deferred, whole and streamed responses in turn',
    header: ['what', 'connections', 'exchanges', 'of each process'],
    rows: peaks.map(({ name, connections, exchanges, peaks: ofEach }) => [
      name,
      String(connections),
      String(exchanges),
      ofEach.map((peak) => figure(peak === undefined ? undefined : peak / 2 ** 20, 0)).join(', '),
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
      kibibytes(bodyBytes),
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

function rolloutTable(rollout: readonly RolloutTimes[]): Table {
  return {
    title: 'Modes that alter nothing, one exchange at a time with a pause after each, whole responses (ms)',
    header: ['request', 'mode', 'p50', 'p95', 'after passthrough', 'most in any tenth', 'samples'],
    rows: rollout.flatMap(({ request, slow, afterPassthrough }) =>
      [...slow].map(([way, { p50, p95, count }]) => {
        const after = afterPassthrough.get(way);
        const compared = [after?.differenceMs, after?.spreadMs].map((ms) => figure(ms));
        return [request, way, figure(p50), figure(p95), ...compared, String(count)];
      }),
    ),
    labels: 2,
  };
}

function fullRateTable(rollout: readonly RolloutTimes[]): Table {
  return {
    title: 'Modes that alter nothing, 16 connections that never rest (ms)',
    header: ['request', 'mode', 'per second', 'p50', 'p95', 'samples'],
    rows: rollout.flatMap(({ request, full }) =>
      [...full].map(([way, { perSecond, times }]) => [
        request,
        way,
        figure(perSecond, 0),
        figure(times.p50),
        figure(times.p95),
        String(times.count),
      ]),
    ),
    labels: 2,
  };
}

function sessionTable(sessions: readonly SessionTimes[]): Table {
  return {
    title: 'Sessions, one exchange at a time with 200 tools, streamed, until the last byte (ms)',
    header: ['session', ...STORES.flatMap((store) => [`${store} p50`, `${store} p95`]), 'added', 'samples'],
    rows: sessions.map(({ what, times, added }) => {
      const stores = STORES.map((store) => times.get(store)!);
      const figures = stores.flatMap(({ p50, p95 }) => [figure(p50), figure(p95)]);
      return [what, ...figures, figure(added.differenceMs), String(stores[0]!.count)];
    }),
    labels: 1,
  };
}
