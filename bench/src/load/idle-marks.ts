import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import { atMost } from './count-marks.ts';
import type { ServiceReading, ServiceReadings } from './watch-services.ts';

/** Compiled code and metadata go on growing for a while; what one conversation leaves behind, thousands of them multiply. */
const MOST_HELD_GROWTH = 4 * 2 ** 20;

/** What must hold of services when nothing goes on: after a load they hold no more than before it. */
export function idleMarks(before: ServiceReadings, after: ServiceReadings): Mark[] {
  return [...before].flatMap(([name, first]) => {
    const last = after.get(name)!;
    const grownBytes = last.heldBytes - first.heldBytes;
    return [
      atMost(`${name}: open files and sockets`, first.openFiles, last.openFiles),
      atMost(`${name}: what keeps its event loop alive`, countResources(first), countResources(last)),
      {
        what: `${name}: held memory grows`,
        mark: `at most ${inMebibytes(MOST_HELD_GROWTH)}`,
        measured: inMebibytes(grownBytes),
        isMet: grownBytes <= MOST_HELD_GROWTH,
      },
    ];
  });
}

/** How many things keep the event loop of a service alive. */
export function countResources({ resources }: Pick<ServiceReading, 'resources'>): number {
  return Object.values(resources).reduce((sum, count) => sum + count, 0);
}

function inMebibytes(bytes: number): string {
  return `${figure(bytes / 2 ** 20, 1)} MiB`;
}
