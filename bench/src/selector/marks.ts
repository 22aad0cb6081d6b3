import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import type { LoadTimes } from './measure-load.ts';
import type { RankerTimes } from './measure-rankers.ts';
import type { HttpTimes, RequestTimes } from './measure-requests.ts';
import type { StallTimes } from './measure-stall.ts';
import type { SelectorMeasurements } from './run.ts';

/** Returns the requirements for the selector's speed, as far as this run measured it. */
export function selectorMarks({ requests, rankers, load, stall }: SelectorMeasurements): Mark[] {
  return [
    ...queryMark(rankers, 1_000, 0.1),
    ...queryMark(rankers, 10_000, 1),
    ...searchMark(rankers, 500, 0.15),
    ...searchMark(rankers, 2_000, 0.25),
    ...searchMark(rankers, 10_000, 0.5),
    ...queryAgainstWinkMark(rankers),
    ...buildMark(rankers),
    ...requestMarks(requests),
    ...loadMarks(load),
    stallMark(stall),
  ];
}

function queryMark(rankers: readonly RankerTimes[], size: number, mark: number): Mark[] {
  const ours = find(rankers, size, 'bm25');
  if (ours === undefined) return [];
  return [atMost(`one query on a built index, ${size} tools, p50`, mark, ours.query.p50, ' ms')];
}

function searchMark(rankers: readonly RankerTimes[], size: number, mark: number): Mark[] {
  const search = find(rankers, size, 'bm25')?.search;
  if (search === undefined) return [];
  return [atMost(`one whole search, ${size} tools, p50`, mark, search.p50, ' ms')];
}

/** Compares with the faster of two forms of `wink`: the adapter adds its own work to every query. */
function queryAgainstWinkMark(rankers: readonly RankerTimes[]): Mark[] {
  const ours = find(rankers, 10_000, 'bm25');
  const wink = ['wink', 'wink-helper'].flatMap((name) => find(rankers, 10_000, name)?.query.p50 ?? []);
  if (ours === undefined || wink.length === 0) return [];
  return [
    atLeast(
      'query at 10000 tools, times faster than wink in its faster form (p50)',
      3,
      Math.min(...wink) / ours.query.p50,
    ),
  ];
}

/** The smallest factor over all sizes counts. */
function buildMark(rankers: readonly RankerTimes[]): Mark[] {
  const factors = rankers.flatMap((helper) => {
    const ours = find(rankers, helper.size, 'bm25');
    return helper.ranker === 'wink-helper' && ours ? [helper.build.p50 / ours.build.p50] : [];
  });
  if (factors.length === 0) return [];
  const what = 'index build, times faster than wink with its helper library (p50, the least of all sizes)';
  return [atLeast(what, 4, Math.min(...factors))];
}

function requestMarks(requests: readonly RequestTimes[]): Mark[] {
  const [small, large] = [500, 2_000].map((wanted) => requests.find(({ size }) => size === wanted));
  return [...(small ? smallRequestMarks(small) : []), ...(large ? [changedMark(large)] : [])];
}

function smallRequestMarks({ jsonParse, winnow }: RequestTimes): Mark[] {
  const { cold, warm, catalogId, fourPatterns } = winnow;
  return [
    atMost('cold request, 500 tools, times JSON.parse of its body (p50)', 8, cold.p50 / jsonParse.p50),
    atMost('warm request, 500 tools, times JSON.parse of its body (p50)', 3, warm.p50 / jsonParse.p50),
    atMost('catalog_id request, 500 tools, p50 over loopback', 1, catalogId.p50, ' ms'),
    atMost('the same with four patterns, times one (p50)', 2, fourPatterns.p50 / catalogId.p50, '', 2),
  ];
}

function changedMark({ size, winnow, baseline }: RequestTimes): Mark {
  const timesWarm = ({ changed, warm }: HttpTimes) => changed.p50 / warm.p50;
  const mark = atMost(
    `one changed tool of ${size}, times the warm request (p50)`,
    3,
    timesWarm(winnow),
    '',
    2,
  );
  return baseline
    ? { ...mark, measured: `${mark.measured}; baseline ${figure(timesWarm(baseline), 2)}` }
    : mark;
}

const MOST_COLD_MS = 250;
const MOST_WARM_MS = 150;
/** Maximum ratio to the baseline's p95, if a baseline is measured in the same run. */
const MOST_OF_BASELINE = 0.5;

function loadMarks(load: readonly LoadTimes[]): Mark[] {
  const own = load.filter(({ selector }) => selector === 'winnow');
  return own.flatMap(({ what, tools, atATime, times }) => {
    const title = `${tools} tools ${what}, ${atATime} at a time, p95`;
    const most = what === 'cold' ? MOST_COLD_MS : MOST_WARM_MS;
    const baseline = load.find((other) => other.selector === 'baseline' && other.what === what);
    return [
      atMost(title, most, times.p95, ' ms', 1),
      ...(baseline
        ? [atMost(`${title}, of the baseline’s`, MOST_OF_BASELINE, times.p95 / baseline.times.p95, '', 2)]
        : []),
    ];
  });
}

function stallMark({ tools, longest }: StallTimes): Mark {
  return atMost(
    `stall of other requests while ${tools} tools are indexed`,
    50,
    Math.max(...longest),
    ' ms',
    1,
  );
}

function atMost(what: string, mark: number, measured: number, unit = '', decimals = 3): Mark {
  return {
    what,
    mark: `at most ${mark}${unit}`,
    measured: `${figure(measured, decimals)}${unit}`,
    isMet: measured <= mark,
  };
}

function atLeast(what: string, mark: number, measured: number): Mark {
  return { what, mark: `at least ${mark}`, measured: figure(measured, 1), isMet: measured >= mark };
}

function find(rankers: readonly RankerTimes[], size: number, ranker: string): RankerTimes | undefined {
  return rankers.find((times) => times.size === size && times.ranker === ranker);
}
