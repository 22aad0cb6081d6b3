import type { Figure } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import type { RegistryMeasurements, Stall, StoreTimes } from './run.ts';

/** All measurements as tables. */
export function registryTables({ stores, stalls }: RegistryMeasurements): Table[] {
  return [searchTable(stores), changeTable(stores), contentTable(stores), stallTable(stalls)];
}

/** Returns times and memory of each store. */
export function registryFigures({ stores }: RegistryMeasurements): readonly Figure[] {
  return stores.map(({ store, tools, searches, changes, registerMs, startMs, peakBytes }) => ({
    what: `${store}, ${tools} tools: searches p50 and p99; changes p50; registering; start; most memory`,
    measured: [
      `${figure(searches.p50, 2)} ms, ${figure(searches.p99, 2)} ms`,
      `${figure(changes.p50, 2)} ms`,
      `${figure(registerMs / 1_000, 2)} s`,
      startMs.length === 0 ? '–' : `${figure(mean(startMs) / 1_000, 2)} s`,
      `${mebibytes(peakBytes)} MiB`,
    ].join('; '),
  }));
}

function searchTable(stores: readonly StoreTimes[]): Table {
  return {
    title: 'Searches over HTTP while changes arrive, in milliseconds',
    header: ['store', 'tools', 'searches', 'p50', 'p95', 'p99', 'longest'],
    rows: stores.map(({ store, tools, searches: { count, p50, p95, p99, max } }) => [
      store,
      String(tools),
      String(count),
      ...[p50, p95, p99, max].map((ms) => figure(ms, 2)),
    ]),
    labels: 1,
  };
}

function changeTable(stores: readonly StoreTimes[]): Table {
  return {
    title: 'The changes meanwhile, one tool each, in milliseconds until they are confirmed',
    header: ['store', 'changes a second', 'p50', 'p95', 'p99', 'longest'],
    rows: stores.map(({ store, changesPerSecond, changes: { p50, p95, p99, max } }) => [
      store,
      figure(changesPerSecond, 1),
      ...[p50, p95, p99, max].map((ms) => figure(ms, 2)),
    ]),
    labels: 1,
  };
}

function contentTable(stores: readonly StoreTimes[]): Table {
  return {
    title: 'Registering in batches of 1,000, starting with a full store, following, and memory',
    header: [
      'store',
      'registering, s',
      'start, s',
      'found elsewhere, s (mean, longest)',
      'most memory, MiB',
      'index, MiB',
    ],
    rows: stores.map(({ store, registerMs, startMs, visibleMs, peakBytes, indexBytes }) => [
      store,
      figure(registerMs / 1_000, 2),
      startMs.length === 0 ? '–' : figure(mean(startMs) / 1_000, 2),
      visibleMs.length === 0
        ? '–'
        : `${figure(mean(visibleMs) / 1_000, 2)}, ${figure(Math.max(...visibleMs) / 1_000, 2)}`,
      mebibytes(peakBytes),
      mebibytes(indexBytes),
    ]),
    labels: 1,
  };
}

function stallTable(stalls: readonly Stall[]): Table {
  return {
    title: 'The longest delay of the event loop by a registration, in milliseconds',
    header: ['registration', 'longest'],
    rows: stalls.map(({ title, longestMs }) => [title, figure(longestMs, 1)]),
    labels: 1,
  };
}

function mebibytes(bytes: number | undefined): string {
  return figure(bytes === undefined ? undefined : bytes / 2 ** 20, 0);
}
