import type { Mark } from '../marks.ts';
import { figure, type Table } from '../table.ts';
import type { MoneyCell } from './cell.ts';
import { type CellMeasurement, FIRST } from './measure-money.ts';

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Returns the table of all cells. Bills are shares of the direct bill. */
export function moneyTable(measured: readonly CellMeasurement[]): Table {
  return {
    title: 'The bill as a share of the direct one',
    header: [
      'mode',
      'cache',
      'cached input',
      'system prompt',
      'tools',
      'always defer',
      'over 2 % dearer',
      'estimated',
      'auto',
      'auto does',
      `auto, first ${FIRST}`,
    ],
    rows: measured.map(({ cell, defer, auto, autoFirst, autoDefers, estimated }) => [
      cell.mode.name,
      cell.isWarm ? 'warm' : 'cold',
      figure(cell.cachedInput),
      String(cell.system),
      String(cell.tools),
      figure(defer.bill, 2),
      percent(defer.dearer),
      figure(estimated, 2),
      figure(auto.bill, 2),
      wordOf(autoDefers, defer.bill, defer.dearer, defer.muchDearer),
      figure(autoFirst, 2),
    ]),
    labels: 2,
  };
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
  ];
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
    measured: value === undefined ? 'no such cell' : `${figure(value, 2)} (${describe(worst!.cell)})`,
    // Bills are compared in whole hundredths, as they are printed.
    isMet: value === undefined || Math.round(value * 100) <= limit * 100,
  };
}

function describe({ mode, tools, system, isWarm, cachedInput }: MoneyCell): string {
  return `${mode.name}, ${tools} tools, ${system} tokens, ${isWarm ? 'warm' : 'cold'}, ${cachedInput}`;
}
