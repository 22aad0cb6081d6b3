/**
 * @module-tag redis
 */
import { expect, test } from 'vitest';
import { failureLines } from '../../src/load/failure-lines.ts';
import { measureSoak } from '../../src/load/measure-soak.ts';
import { soakMarks } from '../../src/load/soak-marks.ts';
import { soakTables } from '../../src/load/soak-tables.ts';

/** Other tests share the machine, so a missed deadline would prove nothing. */
const PATIENT = { PROXY_TOOLS_API_TIMEOUT: '10s' };

test('a few conversations through two of each service are correct', {
  timeout: 120_000,
}, async () => {
  const seconds = 60;
  const soak = await measureSoak(
    {
      seed: 1,
      conversations: 8,
      haste: 20,
      settings: PATIENT,
      warmUp: { seconds, dialogues: 8 },
      load: { seconds, dialogues: 16 },
    },
    () => {},
  );
  expect(failureLines(soak.tally)).toEqual([]);
  expect(soak.upstream.examples).toEqual([]);
  expect(soak.tally.finished).toBe(24);
  expect(soak.counts.searches.get('found')).toBeGreaterThan(24);
  // After so few conversations, memory proves nothing.
  const unmet = soakMarks(soak).filter(({ what, isMet }) => !isMet && !what.includes('memory'));
  expect(unmet).toEqual([]);
  for (const { header, rows } of soakTables(soak)) {
    for (const row of rows) expect(row).toHaveLength(header.length);
  }
});
