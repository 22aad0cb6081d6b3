import type { TimeSummary } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { addedMs } from './marks.ts';
import type { Latency } from './measure-latency.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { SearchTimes } from './measure-search.ts';
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

function kibibytes(bytes: number): string {
  return figure(bytes / 1_024, 1);
}
