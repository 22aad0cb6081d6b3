import type { TimeSummary } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { addedMs } from './marks.ts';
import type { Latency } from './measure-latency.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { RolloutTimes } from './measure-rollout.ts';
import type { SearchTimes } from './measure-search.ts';
import { type SessionTimes, STORES } from './measure-sessions.ts';
import { ROUTE_NAMES } from './routes.ts';
import type { ProxyMeasurements, ProxyRun } from './run.ts';

/** The tables of a run. */
export function proxyTables(run: ProxyRun): Table[] {
  return [
    throughputTable(run),
    latencyTable(run),
    firstByteTable(run),
    searchTable(run.searches),
    memoryTable(run.memory),
    rolloutTable(run.rollout),
    fullRateTable(run.rollout),
    sessionTable(run.sessions),
  ];
}

const KINDS = [
  ['small', 'small, passthrough'],
  ['deferred', '200 tools deferred'],
] as const;

function throughputTable(measurements: ProxyMeasurements): Table {
  return {
    title: 'Requests per second, whole answers',
    header: [
      'request',
      'KiB',
      'connections',
      ...ROUTE_NAMES,
      'proxy of pipe',
      ...ROUTE_NAMES.map((name) => `${name} CPU ms`),
      'windows',
    ],
    rows: KINDS.map(([kind, title]) => {
      const { connections, bodyBytes, perSecond, cpuMs, ratio, windows } = measurements[kind].throughput;
      return [
        title,
        kibibytes(bodyBytes),
        String(connections),
        ...ROUTE_NAMES.map((name) => figure(perSecond[name], 0)),
        figure(ratio, 2),
        ...ROUTE_NAMES.map((name) => figure(cpuMs[name])),
        String(windows),
      ];
    }),
    labels: 1,
  };
}

function latencyTable(measurements: ProxyMeasurements): Table {
  return addedTable('One exchange at a time, whole answers, until the last byte (ms)', 'total', (kind) => {
    return measurements[kind].whole;
  });
}

function firstByteTable(measurements: ProxyMeasurements): Table {
  return addedTable('One exchange at a time, until the first streamed byte (ms)', 'firstByte', (kind) => {
    return measurements[kind].stream;
  });
}

function addedTable(
  title: string,
  until: 'firstByte' | 'total',
  choose: (kind: 'small' | 'deferred') => Latency,
): Table {
  return {
    title,
    header: [
      'request',
      ...ROUTE_NAMES.map((name) => `${name} p50`),
      ...ROUTE_NAMES.map((name) => `${name} p95`),
      'after direct',
      'after pipe',
      'samples',
    ],
    rows: KINDS.map(([kind, title]) => {
      const latency = choose(kind);
      return [
        title,
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
    title: 'A full search round, streamed: two upstream requests and the search (ms)',
    header: ['strategy', 'tools', 'what', 'p50', 'p95', 'samples'],
    rows: searches.flatMap(({ strategy, tools, warm, cold }) => [
      searchRow([strategy, String(tools), 'tools searched before'], warm),
      searchRow([strategy, String(tools), 'tools never seen'], cold),
    ]),
    labels: 3,
  };
}

function searchRow(labels: readonly string[], { p50, p95, count }: TimeSummary): string[] {
  return [...labels, figure(p50), figure(p95), String(count)];
}

function memoryTable({ points, growth }: MemoryCourse): Table {
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
    title: 'Modes that alter nothing, one exchange at a time with a pause after each, whole answers (ms)',
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

function kibibytes(bytes: number): string {
  return figure(bytes / 1_024, 1);
}
