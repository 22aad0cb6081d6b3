/**
 * @module-tag redis
 */
import { expect, test } from 'vitest';
import { chaosTables } from '../../src/load/chaos-tables.ts';
import { failureLines } from '../../src/load/failure-lines.ts';
import { measureChaos, PHASES } from '../../src/load/measure-chaos.ts';

test('a few conversations survive all failures', { timeout: 180_000 }, async () => {
  const some = { seconds: 120, dialogues: 4 };
  const chaos = await measureChaos(
    {
      seed: 1,
      conversations: 8,
      haste: 10,
      calm: some,
      chaos: { ...some, dialogues: 16 },
      healing: some,
      peace: some,
    },
    () => {},
  );
  for (const phase of PHASES) {
    const { tally, upstream } = chaos.phases[phase];
    expect(failureLines(tally), phase).toEqual([]);
    expect(upstream.complaints - upstream.thinkingComplaints, phase).toBe(0);
  }
  expect(chaos.drains.bad).toEqual([]);
  expect(chaos.mischief.size).toBeGreaterThan(2);
  expect(chaos.peaceCounts.open).toBe(0);
  for (const { header, rows } of chaosTables(chaos)) {
    for (const row of rows) expect(row).toHaveLength(header.length);
  }
});
