import type { Mark } from '../marks.ts';
import { type MedianInterval, medianInterval } from '../median-interval.ts';
import { median } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { compareWindows, windowsOf } from './compare-windows.ts';
import { atATime } from './forwarding-marks.ts';
import { type PageCost, WITH_PAGE, WITHOUT_PAGE } from './measure-page.ts';

/** Maximum processor time that the live page may add to a request. */
const MOST_TIMES_WITHOUT = 1.02;

/** Returns the requirements for the live page's cost. */
export function pageMarks(costs: readonly PageCost[]): Mark[] {
  return costs.flatMap(({ title, pairs }) =>
    connectionsOf(pairs).flatMap((connections) => {
      const ratio = ratioAt(pairs, connections);
      if (ratio === undefined) return [];
      return {
        what: `CPU per request with the live page, without it = 1, ${title}, ${atATime(connections)}`,
        mark: `at most ${MOST_TIMES_WITHOUT}`,
        measured: `${figure(ratio.median)} (95 %: ${boundsText(ratio)})`,
        isMet: ratio.median <= MOST_TIMES_WITHOUT,
      };
    }),
  );
}

/** Returns a table of the cost of a request with the live page and without it. */
export function pageTable(costs: readonly PageCost[]): Table {
  return {
    title: 'The live page: CPU per request, side by side, no one watching (µs)',
    header: ['request', 'connections', WITH_PAGE, WITHOUT_PAGE, 'ratio', '95 %', 'pairs', 'windows'],
    rows: costs.flatMap(({ title, pairs }) =>
      connectionsOf(pairs).map((connections) => {
        const ratio = ratioAt(pairs, connections);
        const cpuUs = (receiver: string) => {
          const counted = windowsOf(pairs.flat(), receiver, connections).flatMap(({ cpuUs }) => cpuUs ?? []);
          return figure(counted.length > 0 ? median(counted) : undefined, 0);
        };
        return [
          title,
          String(connections),
          cpuUs(WITH_PAGE),
          cpuUs(WITHOUT_PAGE),
          figure(ratio?.median),
          ratio ? boundsText(ratio) : '–',
          String(pairs.length),
          String(windowsOf(pairs.flat(), WITH_PAGE, connections).length),
        ];
      }),
    ),
    labels: 1,
  };
}

function connectionsOf(pairs: PageCost['pairs']): number[] {
  return [...new Set(pairs.flat().map(({ connections }) => connections))];
}

/**
 * Each pair of processes counts as one measurement, the median of its rounds: its windows share the
 * difference between its two processes.
 */
function ratioAt(pairs: PageCost['pairs'], connections: number): MedianInterval | undefined {
  const ratios = pairs.map((windows) =>
    compareWindows(windows, {
      connections,
      dividend: WITH_PAGE,
      divisor: WITHOUT_PAGE,
      by: 'cpuUs',
    }),
  );
  const medians = ratios.flatMap((ratio) => ratio?.median ?? []);
  return medians.length < pairs.length ? undefined : medianInterval(medians);
}

function boundsText({ low, high }: MedianInterval): string {
  return `${figure(low)}–${figure(high)}`;
}
