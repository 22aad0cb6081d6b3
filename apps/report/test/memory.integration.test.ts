import { expect, test } from 'vitest';
import { SectionsTally } from '../src/sections.ts';
import { makeRecords } from './make-records.ts';

test('what is reported does not grow with the records, even when no name and no session ever comes twice', () => {
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
  add(0, 120_000);
  const result = sections.result();
  expect(result.traffic.exchanges).toBe(120_000);
  // The names of all records alone would take megabytes.
  expect(JSON.stringify(result).length).toBeLessThan(50_000);
});
