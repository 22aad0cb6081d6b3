import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import type { RegistryMeasurements, StoreTimes } from './run.ts';

/** Returns the requirements for the registry's speed, as far as this run measured it. */
export function registryMarks({ stores, stalls }: RegistryMeasurements): Mark[] {
  return [
    ...stores.flatMap((times) => (times.store === 'postgres' ? manyMarks(times) : fewMarks(times))),
    ...stalls.map(({ title, longestMs }) =>
      atMost(`longest delay of the event loop, ${title}`, 300, longestMs, ' ms', 1),
    ),
  ];
}

function fewMarks(times: StoreTimes): Mark[] {
  const { store, tools, searches, registerMs, startMs } = times;
  const slow = store === 'sqlite' ? ', 5 ms added to every commit' : '';
  const what = `search over HTTP, ${tools} tools in ${store}${slow}, while changes arrive`;
  return [
    atMost(`${what}, p50`, 2, searches.p50, ' ms', 2),
    atMost(`${what}, p99`, 20, searches.p99, ' ms', 2),
    changesMark(times),
    atMost(`registering ${tools} tools, ${store}`, 5, registerMs / 1_000, ' s', 2),
    ...startMark(times, startMs),
  ];
}

/**
 * The search figures are valid only if the intended changes arrived; the last ones of a run may be cut off.
 */
function changesMark({ store, tools, wantedPerSecond, changesPerSecond }: StoreTimes): Mark {
  const least = wantedPerSecond * LEAST_SHARE;
  return {
    what: `changes that arrived meanwhile, ${tools} tools in ${store}`,
    mark: `at least ${figure(least, 1)} a second`,
    measured: `${figure(changesPerSecond, 1)} a second`,
    isMet: changesPerSecond >= least,
  };
}

const LEAST_SHARE = 0.98;

function startMark({ store, tools }: StoreTimes, startMs: readonly number[]): Mark[] {
  if (startMs.length === 0) return [];
  return [
    atMost(
      `start from a store with ${tools} tools, ${store}, the longest`,
      2,
      Math.max(...startMs) / 1_000,
      ' s',
      2,
    ),
  ];
}

function manyMarks(times: StoreTimes): Mark[] {
  const { tools, searches, visibleMs } = times;
  return [
    atMost(
      `search over HTTP, ${tools} tools in Postgres, two instances, while changes arrive, p95`,
      150,
      searches.p95,
      ' ms',
      1,
    ),
    changesMark(times),
    atMost(
      'a change of one instance is found by the other, the longest',
      6,
      Math.max(...visibleMs) / 1_000,
      ' s',
      2,
    ),
  ];
}

function atMost(what: string, mark: number, measured: number, unit: string, decimals: number): Mark {
  return {
    what,
    mark: `at most ${mark}${unit}`,
    measured: `${figure(measured, decimals)}${unit}`,
    isMet: measured <= mark,
  };
}
