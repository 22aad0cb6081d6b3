import { isDeepStrictEqual } from 'node:util';
import type { Mark } from '../marks.ts';
import { figure, type Table } from '../table.ts';
import { type MoneyCell, NO_CACHE } from './cell.ts';
import { type ArmParts, type CellMeasurement, FIRST } from './measure-money.ts';

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Returns the table of all cells. Bills are shares of the direct bill. */
export function moneyTable(measured: readonly CellMeasurement[]): Table {
  return {
    title: 'The bill as a share of the direct one',
    header: [
      ...CELL_HEADER,
      'always defer',
      'over 2 % dearer',
      'estimated',
      'auto',
      'auto does',
      `auto, first ${FIRST}`,
    ],
    rows: measured.map(({ recordings, cell, defer, auto, autoFirst, autoDefers, estimated }) => [
      ...cellColumns(recordings, cell),
      figure(defer.bill, 2),
      percent(defer.dearer),
      figure(estimated, 2),
      figure(auto.bill, 2),
      wordOf(autoDefers, defer.bill, defer.dearer, defer.muchDearer),
      figure(autoFirst, 2),
    ]),
    labels: LABELS,
  };
}

/** Returns the table of what the bills consist of. Amounts are shares of the direct bill. */
export function partsTable(measured: readonly CellMeasurement[]): Table {
  const names = ['requests', 'read', 'fresh', 'output'];
  const columns = ({ requests, read, fresh, output }: ArmParts) => [
    figure(requests, 1),
    ...[read, fresh, output].map((part) => figure(part, 2)),
  ];
  return {
    title: 'Parts of the bill: input read from the cache, other input, and output',
    header: [
      ...CELL_HEADER,
      ...names.map((name) => `direct: ${name}`),
      ...names.map((name) => `always defer: ${name}`),
    ],
    rows: measured.map(({ recordings, cell, directParts, deferParts }) => [
      ...cellColumns(recordings, cell),
      ...columns(directParts),
      ...columns(deferParts),
    ]),
    labels: LABELS,
  };
}

const CELL_HEADER = ['recordings', 'mode', 'cache', 'cached input', 'system prompt', 'tools'];
const LABELS = 3;

function cellColumns(recordings: string, { mode, isWarm, cachedInput, system, tools }: MoneyCell): string[] {
  const cache = isWarm ? 'warm' : 'cold';
  return [recordings, mode.name, cache, figure(cachedInput), String(system), String(tools)];
}

/** Says what `auto` did, and where it leaves a mean saving because too many conversations would lose. */
function wordOf(defers: boolean, bill: number, dearer: number, muchDearer: number): string {
  if (defers) return 'defers';
  return bill <= 0.95 && (dearer > MOST_DEARER || muchDearer > MOST_MUCH_DEARER)
    ? 'passes (uneven)'
    : 'passes';
}

const MOST_DEARER = 0.25;
const MOST_MUCH_DEARER = 0.1;
const MOST_AUTO = 1;
const MOST_MISSED = 0.06;

/** Returns the marks: those of `auto` over all cells, and those of the cells that defer. */
export function moneyMarks(measured: readonly CellMeasurement[]): Mark[] {
  const deferring = measured.filter(({ autoDefers }) => autoDefers);
  return [
    most('auto, share of the direct bill', MOST_AUTO, measured, ({ auto }) => auto.bill),
    most(
      'auto above the cheaper of passing and deferring',
      MOST_MISSED,
      // A mean saving that many conversations pay for may be left.
      measured.filter(({ autoDefers, defer }) => autoDefers || isEven(defer)),
      ({ auto, defer }) => auto.bill - Math.min(1, defer.bill),
    ),
    most(
      'auto where it defers: conversations over 2 % dearer',
      MOST_DEARER,
      deferring,
      ({ auto }) => auto.dearer,
    ),
    most(
      'auto where it defers: over 10 % dearer',
      MOST_MUCH_DEARER,
      deferring,
      ({ auto }) => auto.muchDearer,
    ),
    ...DEFER_MARKS.flatMap(({ tools, limit }) =>
      ['Messages, native', 'Messages, bridge'].flatMap((mode) =>
        most(
          `always deferring, ${mode}, ${tools} tools, warm, cached input at a tenth`,
          limit,
          measured.filter((one) => isMarked(one) && one.cell.mode.name === mode && one.cell.tools === tools),
          ({ defer }) => defer.bill,
        ),
      ),
    ),
    most(
      'always deferring above swapping, where cached input costs as much as other',
      MOST_ABOVE_SWAP,
      measured.filter((one) => one.cell.cachedInput === NO_CACHE && swapOf(one, measured) !== undefined),
      (one) => one.defer.bill - swapOf(one, measured)!.defer.bill,
    ),
  ];
}

/** The most that always deferring may cost, for recordings with at least {@link LEAST_CALLS} calls each. */
const DEFER_MARKS = [
  { tools: 100, limit: 0.88 },
  { tools: 200, limit: 0.72 },
  { tools: 500, limit: 0.42 },
];
const LEAST_CALLS = 5;
const MOST_ABOVE_SWAP = 0.02;

function isMarked({ calls, cell }: CellMeasurement): boolean {
  return calls >= LEAST_CALLS && cell.isWarm && cell.cachedInput === 0.1 && cell.system === 15_000;
}

/** Returns the cell of swap mode that differs in nothing else; undefined if it was not measured, or is this one. */
function swapOf(
  { recordings, cell }: CellMeasurement,
  measured: readonly CellMeasurement[],
): CellMeasurement | undefined {
  const { mode, ...rest } = cell;
  const name = `${mode.name.split(',')[0]}, swap`;
  return measured.find(({ recordings: others, cell: { mode: other, ...same } }) => {
    if (others !== recordings || other.name !== name || mode.name === name) return false;
    return isDeepStrictEqual(same, rest);
  });
}

function isEven({ dearer, muchDearer }: CellMeasurement['defer']): boolean {
  return dearer <= MOST_DEARER && muchDearer <= MOST_MUCH_DEARER;
}

function most(
  what: string,
  limit: number,
  measured: readonly CellMeasurement[],
  figureOf: (one: CellMeasurement) => number,
): Mark {
  const [worst] = measured.toSorted((one, other) => figureOf(other) - figureOf(one));
  const value = worst === undefined ? undefined : figureOf(worst);
  return {
    what,
    mark: `at most ${figure(limit, 2)} in every cell`,
    measured: value === undefined ? 'no such cell' : `${figure(value, 2)} (${describe(worst!)})`,
    // Bills are compared in whole hundredths, as they are printed.
    isMet: value === undefined ? undefined : Math.round(value * 100) <= limit * 100,
  };
}

function describe({ recordings, cell }: CellMeasurement): string {
  const { mode, tools, system, isWarm, cachedInput } = cell;
  return `${recordings}, ${mode.name}, ${tools} tools, ${system} tokens, ${isWarm ? 'warm' : 'cold'}, ${cachedInput}`;
}
