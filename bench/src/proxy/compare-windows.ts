import { quantiles } from '../summarize-times.ts';
import type { Window } from './measure-window.ts';

/** The window of one receiver in one round. */
export interface RoundWindow extends Omit<Window, 'times'> {
  readonly round: number;
  readonly receiver: string;
  readonly connections: number;
  /** Median time until the last byte. */
  readonly p50Ms: number;
}

/** A ratio of windows that were measured side by side. */
export interface Ratio {
  /** Median of all rounds. */
  readonly median: number;
  /** Quartiles of the rounds, by nearest rank: the middle half lies between them. */
  readonly low: number;
  readonly high: number;
}

/** Two receivers at a number of connections, and the figure to compare. */
export interface ComparisonOptions {
  readonly connections: number;
  /** The receiver whose figure is divided. */
  readonly dividend: string;
  readonly divisor: string;
  readonly by: 'cpuUs' | 'perSecond';
}

/**
 * Divides one receiver's figure by another's, round by round, so that other load on the machine affects both.
 *
 * `undefined` if a figure is missing, or zero because the window was too short.
 */
export function compareWindows(
  windows: readonly RoundWindow[],
  { connections, dividend, divisor, by }: ComparisonOptions,
): Ratio | undefined {
  const figures = (receiver: string) =>
    new Map(windowsOf(windows, receiver, connections).map((window) => [window.round, window[by]]));
  const [ofDividend, ofDivisor] = [figures(dividend), figures(divisor)];
  const ratios: number[] = [];
  for (const [round, figure] of ofDividend) {
    const other = ofDivisor.get(round);
    if (!figure || !other) return undefined;
    ratios.push(figure / other);
  }
  if (ratios.length === 0) return undefined;
  const [low = 0, middle = 0, high = 0] = quantiles(ratios, [0.25, 0.5, 0.75]);
  return { median: middle, low, high };
}

/** Returns a receiver's windows at a number of connections, in the order of the rounds. */
export function windowsOf(
  windows: readonly RoundWindow[],
  receiver: string,
  connections: number,
): RoundWindow[] {
  return windows.filter((window) => window.receiver === receiver && window.connections === connections);
}
