import { readFileSync } from 'node:fs';
import { InputError } from '../input-error.ts';
import type { Machine } from '../machine.ts';
import type { Mark } from '../marks.ts';
import { mean } from '../summarize-times.ts';
import type { ValueById } from './measure-queries.ts';
import type { SetMeasurement, SetRow } from './measure-set.ts';

/** Values by set, then by ranker. */
export type BySetAndRanker<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** One run of the retrieval bench: `--json` writes it and `--against` reads it. */
export interface Run {
  /** Time of the run, ISO 8601. */
  readonly date: string;
  readonly machine: Machine;
  readonly sets: BySetAndRanker<SetRow>;
  /** By ranker: the mean of each measure over the sets that have it, with equal weights. */
  readonly mean: Readonly<Record<string, SetRow>>;
  readonly marks: readonly Mark[];
  /** The values of each query, by measure and query id. */
  readonly queries: BySetAndRanker<Readonly<Record<string, ValueById>>>;
}

/**
 * Returns by ranker the mean of each measure over the sets that have it. Omits measures that are plain
 * counts.
 */
export function meanOverSets(sets: BySetAndRanker<SetRow>): Record<string, SetRow> {
  const rows = Object.values(sets).flatMap((byRanker) => Object.entries(byRanker));
  const byRanker = Object.groupBy(rows, ([ranker]) => ranker);
  return mapValues(byRanker as Record<string, [string, SetRow][]>, (ofRanker) =>
    meanOfRows(ofRanker.map(([, row]) => row)),
  );
}

/** Returns the measurements, rounded to a useful precision, in the two halves of a {@link Run}. */
export function splitMeasurements(
  measurements: BySetAndRanker<SetMeasurement>,
): Pick<Run, 'sets' | 'queries'> {
  return {
    sets: mapCells(measurements, ({ row }) => roundAll(row)),
    queries: mapCells(measurements, ({ queries }) => mapValues(queries, roundAll)),
  };
}

/**
 * Reads a run that `--json` wrote.
 *
 * @throws InputError with the file's name if it is not a run.
 */
export function readRun(file: string): Run {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new InputError(`${file}: ${(error as Error).message}`);
  }
  const run = value as Partial<Run> | null;
  if (typeof run?.sets !== 'object' || typeof run.queries !== 'object') {
    throw new InputError(`${file}: not a run of this bench: expected "sets" and "queries"`);
  }
  return run as Run;
}

const COUNTS = new Set(['tools', 'queries', 'own_lists', 'small_lists']);

function meanOfRows(rows: readonly SetRow[]): SetRow {
  const measures = new Set(rows.flatMap((row) => Object.keys(row)));
  const kept = [...measures].filter((measure) => !isCount(measure));
  return Object.fromEntries(
    kept.map((measure) => [measure, round(mean(rows.flatMap((row) => row[measure] ?? [])))]),
  );
}

function isCount(measure: string): boolean {
  const plain = measure.replace(/^misspelt_/, '');
  return COUNTS.has(plain) || plain.endsWith('_failures') || plain.endsWith('_misses');
}

function roundAll(values: Readonly<Record<string, number>>): Record<string, number> {
  return mapValues(values, round);
}

/** Five decimals: far finer than the sampling error, and half the file size. */
function round(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}

function mapCells<From, To>(cells: BySetAndRanker<From>, change: (cell: From) => To): BySetAndRanker<To> {
  return mapValues(cells, (rows) => mapValues(rows, change));
}

function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]));
}
