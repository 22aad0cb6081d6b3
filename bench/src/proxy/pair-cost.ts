import type { Mark } from '../marks.ts';
import { type MedianInterval, medianInterval } from '../median-interval.ts';
import { median } from '../summarize-times.ts';
import { figure, type Table } from '../table.ts';
import { compareWindows, windowsOf } from './compare-windows.ts';
import { atATime } from './forwarding-marks.ts';
import { PAIRS, type PairCost } from './measure-pairs.ts';

/** Maximum processor time that the first of a pair may add to a request. */
const MOST_TIMES_WITHOUT = 1.02;

/** Returns the requirements for the cost of what pairs differ in. */
export function pairMarks(costs: readonly PairCost[]): Mark[] {
  return costs.flatMap(({ pair, title, pairs }) =>
    connectionsOf(pairs).flatMap((connections) => {
      const ratio = ratioAt(pair, pairs, connections);
      if (ratio === undefined) return [];
      return {
        what: `CPU per request ${PAIRS[pair].with}, ${PAIRS[pair].without} = 1, ${title}, ${atATime(connections)}`,
        mark: `at most ${MOST_TIMES_WITHOUT}`,
        measured: `${figure(ratio.median)} (95 %: ${boundsText(ratio)})`,
        isMet: ratio.median <= MOST_TIMES_WITHOUT,
      };
    }),
  );
}

/** Returns a table of the cost of a request with both settings of a pair. */
export function pairTable(pair: PairCost['pair'], costs: readonly PairCost[]): Table {
  const { title, with: first, without: second } = PAIRS[pair];
  return {
    title: `${title}: CPU per request, side by side (µs)`,
    header: ['request', 'connections', first, second, 'ratio', '95 %', 'pairs', 'windows'],
    rows: costs.flatMap(({ title, pairs }) =>
      connectionsOf(pairs).map((connections) => {
        const ratio = ratioAt(pair, pairs, connections);
        const cpuUs = (receiver: string) => {
          const counted = windowsOf(pairs.flat(), receiver, connections).flatMap(({ cpuUs }) => cpuUs ?? []);
          return figure(counted.length > 0 ? median(counted) : undefined, 0);
        };
        return [
          title,
          String(connections),
          cpuUs(first),
          cpuUs(second),
          figure(ratio?.median),
          ratio ? boundsText(ratio) : '–',
          String(pairs.length),
          String(windowsOf(pairs.flat(), first, connections).length),
        ];
      }),
    ),
    labels: 1,
  };
}

function connectionsOf(pairs: PairCost['pairs']): number[] {
  return [...new Set(pairs.flat().map(({ connections }) => connections))];
}

/**
 * Each pair of processes counts as one measurement, the median of its rounds: its windows share the
 * difference between its two processes.
 */
function ratioAt(
  pair: PairCost['pair'],
  pairs: PairCost['pairs'],
  connections: number,
): MedianInterval | undefined {
  const ratios = pairs.map((windows) =>
    compareWindows(windows, {
      connections,
      dividend: PAIRS[pair].with,
      divisor: PAIRS[pair].without,
      by: 'cpuUs',
    }),
  );
  const medians = ratios.flatMap((ratio) => ratio?.median ?? []);
  return medians.length < pairs.length ? undefined : medianInterval(medians);
}

function boundsText({ low, high }: MedianInterval): string {
  return `${figure(low)}–${figure(high)}`;
}
