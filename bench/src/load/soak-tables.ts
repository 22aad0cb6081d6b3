import type { Figure } from '../marks.ts';
import { figure, type Table } from '../table.ts';
import { idleTable } from './idle-table.ts';
import type { SoakMeasurements } from './measure-soak.ts';

export function soakTables(soak: SoakMeasurements): Table[] {
  return [trafficTable(soak), courseTable(soak), idleTable(soak.before, soak.after), processorTable(soak)];
}

/** Returns the traffic, and the most resident memory of each process. */
export function soakFigures(soak: SoakMeasurements): readonly Figure[] {
  const traffic = trafficTable(soak).rows.map(([what, measured]) => ({ what: what!, measured: measured! }));
  const memory = [...soak.before.keys()].map((name) => ({
    what: `${name}: most resident memory`,
    measured: `${inMebibytes(Math.max(...soak.course.map(({ residentBytes }) => residentBytes.get(name)!)))} MiB`,
  }));
  return [...traffic, ...memory];
}

function trafficTable({ tally, upstream, counts, loadSeconds }: SoakMeasurements): Table {
  return {
    title: 'Traffic, the warm-up included',
    header: ['what', 'count'],
    rows: [
      ['conversations begun', String(tally.begun)],
      ['conversations that ended well', String(tally.finished)],
      ['answers that were as they must be', String(tally.good)],
      ['requests to the upstream', String(upstream.requests)],
      ...[...counts.searches].map(([outcome, count]) => [`searches: ${outcome}`, String(count)]),
      ['seconds of the load', figure(loadSeconds, 0)],
    ],
    labels: 1,
  };
}

function courseTable({ course, before }: SoakMeasurements): Table {
  const names = [...before.keys()];
  return {
    title: 'Resident memory under load (MiB)',
    header: ['seconds', ...names],
    rows: course.map(({ seconds, residentBytes }) => [
      figure(seconds, 0),
      ...names.map((name) => inMebibytes(residentBytes.get(name)!)),
    ]),
    labels: 1,
  };
}

function processorTable({ before, after, cpuMs, loadSeconds }: SoakMeasurements): Table {
  const services = [...before].map(([name, first]): [string, number] => [
    name,
    after.get(name)!.cpuMs - first.cpuMs,
  ]);
  const rows: [string, number][] = [['upstream', cpuMs.upstream], ['clients', cpuMs.clients], ...services];
  return {
    title: 'Processor time under load',
    header: ['process', 'cores'],
    rows: rows.map(([name, ms]) => [name, figure(ms / 1_000 / loadSeconds, 2)]),
    labels: 1,
  };
}

function inMebibytes(bytes: number): string {
  return figure(bytes / 2 ** 20, 1);
}
