import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import type { Latency } from './measure-latency.ts';
import type { MemoryCourse } from './measure-memory.ts';
import type { RolloutTimes } from './measure-rollout.ts';
import type { ProxyMeasurements } from './run.ts';

/** What must hold of the proxy's cost. */
export function proxyMarks({ small, deferred, memory, rollout, sessions }: ProxyMeasurements): Mark[] {
  return [
    atLeast('requests per second, small, passthrough, of the bare pipe', 0.6, small.throughput.ratio),
    atLeast('requests per second, 200 tools deferred, of the bare pipe', 0.35, deferred.throughput.ratio),
    atMost('added to the direct way, small, p50', 1, addedMs(small.whole, 'direct', 'total'), ' ms'),
    atMost('added to the direct way, 200 tools, p50', 3, addedMs(deferred.whole, 'direct', 'total'), ' ms'),
    atMost(
      'first streamed byte after the bare pipe’s, small, p50',
      2,
      addedMs(small.stream, 'pipe', 'firstByte'),
      ' ms',
    ),
    atMost(
      'first streamed byte after the bare pipe’s, 200 tools, p50',
      2,
      addedMs(deferred.stream, 'pipe', 'firstByte'),
      ' ms',
    ),
    ...memoryMarks(memory),
    ...rollout.flatMap(rolloutMarks),
    ...sessions.map(({ what, added }) =>
      atMost(`sessions in Redis after memory, ${what}, p50`, 1, added.differenceMs, ' ms'),
    ),
  ];
}

/** By how much the proxy's p50 is longer than another way's. */
export function addedMs(latency: Latency, other: 'direct' | 'pipe', kind: 'firstByte' | 'total'): number {
  return latency[kind].proxy.p50 - latency[kind][other].p50;
}

/** The record of an exchange is several times this; what compiled code and caches add over 20,000 exchanges is less. */
const MOST_HELD_PER_EXCHANGE = 100;
/** The system takes and gives in large pieces: what is left of that over 20,000 exchanges. */
const MOST_RESIDENT_PER_EXCHANGE = 1_000;

/** As long as two proxies that do the same lie apart in some tenth of the samples, nobody can measure a smaller difference. */
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

function memoryMarks({ growth, open }: MemoryCourse): Mark[] {
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

function atLeast(what: string, mark: number, measured: number): Mark {
  return { what, mark: `at least ${mark}`, measured: figure(measured, 2), isMet: measured >= mark };
}
