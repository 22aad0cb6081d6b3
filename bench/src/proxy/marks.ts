import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import { atATime, firstContentMarks, forwardingMarks } from './forwarding-marks.ts';
import type { LoopDelay } from './measure-delays.ts';
import { inProcessMarks } from './measure-in-process.ts';
import type { Latency } from './measure-latency.ts';
import { loadModesMarks } from './measure-load-modes.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { PeakMemory } from './measure-peak.ts';
import type { RolloutTimes } from './measure-rollout.ts';
import type { SearchTimes } from './measure-search.ts';
import type { StartTimes } from './measure-starts.ts';
import { pairMarks } from './pair-cost.ts';
import type { LoadLatency, ProxyMeasurements } from './run.ts';

/** Returns the requirements for the proxy's cost, for the parts that were measured. */
export function proxyMarks(measurements: ProxyMeasurements): Mark[] {
  const { forwarding, firstContent, searches, starts, peaks, delays } = measurements;
  const { latency, growth, rollout, sessions, pairs } = measurements;
  return [
    ...forwardingMarks(forwarding),
    ...firstContent.flatMap(firstContentMarks),
    ...searches.flatMap(searchMarks),
    ...startMarks(starts),
    ...peakMarks(peaks),
    ...delayMarks(delays),
    ...latency.flatMap(latencyMarks),
    ...(growth ? growthMarks(growth) : []),
    ...rollout.flatMap(rolloutMarks),
    ...sessions.map(({ what, added }) =>
      atMost(`sessions in Redis after memory, ${what}, p50`, 1, added.differenceMs, ' ms'),
    ),
    ...pairMarks(pairs),
    ...inProcessMarks(measurements.inProcess),
    ...loadModesMarks(measurements.loadModes),
  ];
}

/**
 * Maximum time that a full search round may add to the direct way if no baseline is measured: the value of
 * November 2026.
 */
const MOST_SEARCH_MS = { 'tool-search': 3, api: 4.7 } as const;
/** Ratio by which two runs of the same code may differ. */
const NO_WORSE = 1.05;

function searchMarks({ checkout, strategy, warm, afterDirect, afterBaseline }: SearchTimes): Mark[] {
  if (checkout === 'baseline') return [];
  const what = `a full search round over the direct way, ${strategy === 'api' ? 'selector' : 'local'}, p50`;
  const added = `${figure(afterDirect.differenceMs, 2)} ms`;
  if (afterBaseline === undefined) {
    const most = MOST_SEARCH_MS[strategy];
    return [{ what, mark: `at most ${most} ms`, measured: added, isMet: afterDirect.differenceMs <= most }];
  }
  const { differenceMs } = afterBaseline;
  const baselineMs = warm.p50 - differenceMs;
  return [
    {
      what,
      mark: `the round at most ${NO_WORSE} times the baseline’s`,
      measured: `${added}; the round ${figure(warm.p50 / baselineMs, 2)} times the baseline’s`,
      isMet: warm.p50 <= baselineMs * NO_WORSE,
    },
  ];
}

const MOST_START_MS = 500;

function startMarks(starts: readonly StartTimes[]): Mark[] {
  const medians = new Map(starts.map(({ name, times }) => [name, times.p50]));
  const winnow = medians.get('winnow');
  if (winnow === undefined) return [];
  const mark = atMost('start to the first good response, median', MOST_START_MS, winnow, ' ms', 0);
  return [{ ...mark, measured: `${mark.measured}${besideOthers(medians, 'ms')}` }];
}

/** Returns the figures of the pipe and the baseline, in brackets. */
function besideOthers(figures: ReadonlyMap<string, number>, unit: string): string {
  const others = [...figures].filter(([name]) => name !== 'winnow');
  return others.length === 0
    ? ''
    : ` (${others.map(([name, value]) => `${name} ${figure(value, 0)} ${unit}`).join(', ')})`;
}

const MOST_PEAK_MIB = 250;

function peakMarks(measured: readonly PeakMemory[]): Mark[] {
  const highest = new Map<string, number>();
  for (const { name, peaks } of measured) {
    const known = peaks.filter((peak) => peak !== undefined);
    if (known.length > 0) highest.set(name, Math.max(...known) / 2 ** 20);
  }
  const winnow = highest.get('winnow');
  const { connections = 0, peaks = [] } = measured[0] ?? {};
  if (winnow === undefined) return [];
  const what = `peak memory, ${atATime(connections)}, the highest of ${peaks.length} fresh processes`;
  const mark = atMost(what, MOST_PEAK_MIB, winnow, ' MiB', 0);
  return [{ ...mark, measured: `${mark.measured}${besideOthers(highest, 'MiB')}` }];
}

const MOST_DELAY_MS = { upTo1MB: 50, largest: 300 } as const;

function delayMarks(delays: readonly LoopDelay[]): Mark[] {
  return [false, true].flatMap((isLargest) => {
    const measured = delays.filter((delay) => delay.checkout === 'winnow' && delay.isLargest === isLargest);
    const worst = measured.toSorted((left, right) => right.longestMs - left.longestMs)[0];
    if (worst === undefined) return [];
    const bodies = isLargest ? 'the largest bodies' : 'bodies up to 1 MB';
    const most = isLargest ? MOST_DELAY_MS.largest : MOST_DELAY_MS.upTo1MB;
    const mark = atMost(`longest delay of the event loop, ${bodies}`, most, worst.longestMs, ' ms', 1);
    return { ...mark, measured: `${mark.measured} (${worst.strategy}: ${worst.title})` };
  });
}

function latencyMarks({ title, load, whole, stream }: LoadLatency): Mark[] {
  const added = addedMs(whole, 'direct', 'total');
  return [
    atMost(`added to the direct way, ${title}, p50`, load === 'small' ? 1 : 3, added, ' ms'),
    atMost(
      `first streamed byte after the pipe’s, ${title}, p50`,
      2,
      addedMs(stream, 'pipe', 'firstByte'),
      ' ms',
    ),
  ];
}

/** Returns the difference between the proxy's p50 and another way's. */
export function addedMs(latency: Latency, other: 'direct' | 'pipe', kind: 'firstByte' | 'total'): number {
  return latency[kind].proxy.p50 - latency[kind][other].p50;
}

/**
 * The record of an exchange is several times this; compiled code and caches add less over 20,000 exchanges.
 */
const MOST_HELD_PER_EXCHANGE = 100;
/** The system allocates and frees in large pieces; this is their effect over 20,000 exchanges. */
const MOST_RESIDENT_PER_EXCHANGE = 1_000;

/**
 * A difference is measurable only if it exceeds the largest difference between two identical proxies in any
 * tenth of the samples.
 */
function rolloutMarks({ request, afterPassthrough }: RolloutTimes): Mark[] {
  const noiseMs = afterPassthrough.get('passthrough again')!.spreadMs;
  return ['off', 'dark', 'shadow'].map((way) => {
    const { differenceMs } = afterPassthrough.get(way)!;
    return {
      what: `${way} after passthrough, ${request}, p50`,
      mark: `within the noise of ${figure(noiseMs)} ms`,
      measured: `${figure(differenceMs)} ms`,
      isMet: differenceMs <= noiseMs,
    };
  });
}

function growthMarks({ growth, open }: MemoryCourse): Mark[] {
  return [
    atMost('held memory grows per exchange', MOST_HELD_PER_EXCHANGE, growth.held, ' bytes', 1),
    atMost('resident memory grows per exchange', MOST_RESIDENT_PER_EXCHANGE, growth.resident, ' bytes', 1),
    atMost('exchanges still open after the last one', 0, open, '', 0),
  ];
}

function atMost(what: string, mark: number, measured: number, unit: string, decimals = 3): Mark {
  return {
    what,
    mark: `at most ${mark}${unit}`,
    measured: `${figure(measured, decimals)}${unit}`,
    isMet: measured <= mark,
  };
}
