import { figure, type Table } from '../table.ts';
import { countResources } from './idle-marks.ts';
import type { ServiceReadings } from './watch-services.ts';

/** Returns a table of the resources that idle services hold, before and after a load. */
export function idleTable(before: ServiceReadings, after: ServiceReadings): Table {
  return {
    title:
      'With nothing going on, before and after the load: held memory (MiB), open files and sockets, what keeps the event loop alive',
    header: [
      'process',
      'held before',
      'held after',
      'files before',
      'files after',
      'resources before',
      'resources after',
    ],
    rows: [...before].map(([name, first]) => {
      const last = after.get(name)!;
      return [
        name,
        inMebibytes(first.heldBytes),
        inMebibytes(last.heldBytes),
        String(first.openFiles),
        String(last.openFiles),
        String(countResources(first)),
        String(countResources(last)),
      ];
    }),
    labels: 1,
  };
}

function inMebibytes(bytes: number): string {
  return figure(bytes / 2 ** 20, 1);
}
