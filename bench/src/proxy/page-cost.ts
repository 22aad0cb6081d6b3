import type { Mark } from '../marks.ts';
import { median } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { compareWindows, windowsOf } from './compare-windows.ts';
import { atATime, spreadText } from './forwarding-marks.ts';
import { type PageCost, WITH_PAGE, WITHOUT_PAGE } from './measure-page.ts';

/** What the live page may add to the processor time of a request. */
const MOST_TIMES_WITHOUT = 1.02;

/** What must hold of the live page's cost. */
export function pageMarks(costs: readonly PageCost[]): Mark[] {
  return costs.flatMap(({ title, windows }) =>
    connectionsOf(windows).flatMap((connections) => {
      const ratio = ratioAt(windows, connections);
      if (ratio === undefined) return [];
      return {
        what: `CPU per request with the live page, without it = 1, ${title}, ${atATime(connections)}`,
        mark: `at most ${MOST_TIMES_WITHOUT}`,
        measured: `${figure(ratio.median)} (${spreadText(ratio)})`,
        isMet: ratio.median <= MOST_TIMES_WITHOUT,
      };
    }),
  );
}

/** What a request costs with the live page and without it. */
export function pageTable(costs: readonly PageCost[]): Table {
  return {
    title: 'The live page: CPU per request, side by side, nobody watching (µs)',
    header: ['request', 'connections', WITH_PAGE, WITHOUT_PAGE, 'ratio', 'middle half', 'windows'],
    rows: costs.flatMap(({ title, windows }) =>
      connectionsOf(windows).map((connections) => {
        const ratio = ratioAt(windows, connections);
        const cpuUs = (receiver: string) => {
          const counted = windowsOf(windows, receiver, connections).flatMap((window) => window.cpuUs ?? []);
          return figure(counted.length > 0 ? median(counted) : undefined, 0);
        };
        return [
          title,
          String(connections),
          cpuUs(WITH_PAGE),
          cpuUs(WITHOUT_PAGE),
          figure(ratio?.median),
          ratio ? spreadText(ratio) : '–',
          String(windowsOf(windows, WITH_PAGE, connections).length),
        ];
      }),
    ),
    labels: 1,
  };
}

function connectionsOf(windows: PageCost['windows']): number[] {
  return [...new Set(windows.map(({ connections }) => connections))];
}

function ratioAt(windows: PageCost['windows'], connections: number) {
  return compareWindows(windows, {
    connections,
    dividend: WITH_PAGE,
    divisor: WITHOUT_PAGE,
    by: 'cpuUs',
  });
}
