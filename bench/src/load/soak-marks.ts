import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import { equal, none } from './count-marks.ts';
import { unansweredSearches } from './count-proxies.ts';
import { idleMarks } from './idle-marks.ts';
import type { CoursePoint, SoakMeasurements } from './measure-soak.ts';
import { failureCount } from './tally.ts';

/** In bytes, after a warm-up of two minutes. */
const MOST_HELD_GROWTH = 4 * 2 ** 20;
/** The system reclaims memory in large pieces, so the last third of the time is compared with the second. */
const MOST_RESIDENT_GROWTH = 1.15;

/** Returns the requirements of a soak. */
export function soakMarks(soak: SoakMeasurements): Mark[] {
  const { tally, upstream, counts, records } = soak;
  return [
    none('answers that were missing, late or wrong', failureCount(tally)),
    equal('conversations that ended well', tally.begun, tally.finished),
    none('complaints of the strict upstream', upstream.complaints),
    equal('exchanges that the proxies have counted', tally.requests, counts.exchanges),
    equal('records that they have written', tally.requests, records),
    none('records that were dropped', counts.droppedRecords),
    none('exchanges still open', counts.open),
    none('searches that were not answered', unansweredSearches(counts)),
    none('failures of the session store', counts.sessionErrors),
    none('exchanges that fell back to showing everything', counts.fallbacks),
    ...idleMarks(soak.before, soak.after, MOST_HELD_GROWTH),
    ...[...soak.before.keys()].flatMap((name) => residentMarks(name, soak.course)),
  ];
}

/** Applies only to a run that is long enough to have thirds. */
function residentMarks(name: string, course: readonly CoursePoint[]): Mark[] {
  if (course.length < SHORTEST_COURSE) return [];
  const third = Math.floor(course.length / 3);
  const meanOf = (points: readonly CoursePoint[]) =>
    points.reduce((sum, { residentBytes }) => sum + residentBytes.get(name)!, 0) / points.length;
  const grows = meanOf(course.slice(-third)) / meanOf(course.slice(third, -third));
  return [
    {
      what: `${name}: resident memory, last third of second third`,
      mark: `at most ${MOST_RESIDENT_GROWTH}`,
      measured: figure(grows, 2),
      isMet: grows <= MOST_RESIDENT_GROWTH,
    },
  ];
}

const SHORTEST_COURSE = 6;
