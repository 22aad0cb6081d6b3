import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, inject, test } from 'vitest';
import { SectionsTally } from '../src/sections.ts';
import { makeRecords } from './make-records.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test('what is kept does not grow with the records, even when no name and no session ever comes twice', () => {
  const sections = new SectionsTally();
  const [full] = makeRecords({ seed: 1, exchanges: 1, reasons: ['rollout_full'] });
  const start = Date.parse(full!.time);
  const add = (from: number, to: number) => {
    for (let index = from; index < to; index++) {
      sections.add({
        ...full!,
        time: new Date(start + index * 60_000).toISOString(),
        session: `session-${index}`,
        model: `model-${index}`,
        planReason: `reason-${index}`,
        upstream: `upstream-${index}`,
        format: `format-${index}`,
      });
    }
  };
  // All that is bounded is full after these.
  add(0, 40_000);
  const before = inject('isExhaustive') ? heldBytes() : 0;
  add(40_000, 120_000);
  const result = sections.result();
  expect(result.traffic.exchanges).toBe(120_000);
  // The names of all records alone would take megabytes.
  expect(JSON.stringify(result).length).toBeLessThan(50_000);
  // A map of 80,000 names takes 10 MB; a sample of sessions that has just been halved or is just full differs by 2 MB. How much a heap takes
  // depends on the machine, so that it is measured at night.
  if (inject('isExhaustive')) expect(heldBytes() - before).toBeLessThan(5_000_000);
});
