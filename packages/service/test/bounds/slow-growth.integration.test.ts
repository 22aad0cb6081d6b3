import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('grow-slowly.ts', import.meta.url));

/** Runs it as on a machine with much memory. */
function marksOf(mode: 'bounded' | 'free'): number {
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=4096', PROGRAM, mode], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout).marked;
}

test('a bounded heap that doubles slowly is marked before V8 would', () => {
  expect(marksOf('free')).toBe(0);
  expect(marksOf('bounded')).toBeGreaterThan(0);
});
