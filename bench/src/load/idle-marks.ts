import type { Mark } from '../marks.ts';
import { figure } from '../table.ts';
import { atMost } from './count-marks.ts';
import type { ServiceReading, ServiceReadings } from './watch-services.ts';

/**
 * Returns the requirements of idle services: after a load they hold no more memory than before.
 *
 * Compiled code and metadata may continue to grow by `mostGrownBytes`; a leak per conversation would be
 * multiplied by thousands.
 */
export function idleMarks(before: ServiceReadings, after: ServiceReadings, mostGrownBytes: number): Mark[] {
  return [...before].flatMap(([name, first]) => {
    const last = after.get(name)!;
    const grownBytes = last.heldBytes - first.heldBytes;
    return [
      atMost(`${name}: open files and sockets`, first.openFiles, last.openFiles),
      atMost(`${name}: what keeps its event loop alive`, countResources(first), countResources(last)),
      {
        what: `${name}: held memory grows`,
        mark: `at most ${inMebibytes(mostGrownBytes)}`,
        measured: inMebibytes(grownBytes),
        isMet: grownBytes <= mostGrownBytes,
      },
    ];
  });
}

/** Number of resources that keep a service's event loop alive. */
export function countResources({ resources }: Pick<ServiceReading, 'resources'>): number {
  return Object.values(resources).reduce((sum, count) => sum + count, 0);
}

function inMebibytes(bytes: number): string {
  return `${figure(bytes / 2 ** 20, 1)} MiB`;
}
