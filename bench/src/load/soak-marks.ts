import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import type { CoursePoint, SoakMeasurements } from './measure-soak.ts';
import { failureCount } from './tally.ts';
import type { ServiceReading } from './watch-services.ts';

/** Compiled code and metadata go on growing for a while; what one conversation leaves behind, thousands of them multiply. */
const MOST_HELD_GROWTH = 4 * 2 ** 20;
/** The system gives memory back in large pieces: the last third of the time beside the second one. */
const MOST_RESIDENT_GROWTH = 1.15;

/** What must hold of a soak. */
export function soakMarks(soak: SoakMeasurements): Mark[] {
  const { tally, upstream, counts } = soak;
  return [
    none('answers that were missing, late or wrong', failureCount(tally)),
    equal('conversations that ended well', tally.begun, tally.finished),
    none('complaints of the strict upstream', upstream.complaints),
    equal('exchanges that the proxies have counted', tally.requests, counts.exchanges),
    equal('records that they have written', tally.requests, counts.records),
    none('records that were dropped', counts.droppedRecords),
    equal('requests to the upstream that they have counted', upstream.requests, counts.upstreamCalls),
    none('exchanges still open', counts.open),
    none('searches that were not answered', unanswered(counts.searches)),
    none('failures of the session store', counts.sessionErrors),
    none('exchanges that fell back to showing everything', counts.fallbacks),
    ...[...soak.before.keys()].flatMap((name) => serviceMarks(name, soak)),
  ];
}

function serviceMarks(name: string, { before, after, course }: SoakMeasurements): Mark[] {
  const [first, last] = [before.get(name)!, after.get(name)!];
  return [
    atMost(`${name}: open files and sockets`, first.openFiles, last.openFiles),
    atMost(`${name}: what keeps its event loop alive`, countResources(first), countResources(last)),
    {
      what: `${name}: held memory grows`,
      mark: `at most ${inMebibytes(MOST_HELD_GROWTH)}`,
      measured: inMebibytes(last.heldBytes - first.heldBytes),
      isMet: last.heldBytes - first.heldBytes <= MOST_HELD_GROWTH,
    },
    ...residentMarks(name, course),
  ];
}

/** Only of a course that is long enough to have thirds. */
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

/** Outcomes of searches that somebody has answered, or that nobody is asked for: the last one of an exchange that only searches. */
const ANSWERED = ['found', 'no_match', 'limit'];

function unanswered(searches: ReadonlyMap<string, number>): number {
  return [...searches].reduce((sum, [outcome, count]) => (ANSWERED.includes(outcome) ? sum : sum + count), 0);
}

/** How many things keep the event loop of a service alive. */
export function countResources({ resources }: Pick<ServiceReading, 'resources'>): number {
  return Object.values(resources).reduce((sum, count) => sum + count, 0);
}

function inMebibytes(bytes: number): string {
  return `${figure(bytes / 2 ** 20, 1)} MiB`;
}

function none(what: string, count: number): Mark {
  return { what, mark: '0', measured: String(count), isMet: count === 0 };
}

function equal(what: string, expected: number, measured: number): Mark {
  return { what, mark: String(expected), measured: String(measured), isMet: measured === expected };
}

function atMost(what: string, most: number, measured: number): Mark {
  return { what, mark: `at most ${most}`, measured: String(measured), isMet: measured <= most };
}
