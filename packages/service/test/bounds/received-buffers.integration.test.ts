import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('receive-large-bodies.ts', import.meta.url));

function collectionsOf(mode: 'counted' | 'free'): number {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, mode], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout).collections;
}

test('large bodies of which the pieces are counted do not have V8 mark its whole heap over and over', () => {
  expect(collectionsOf('counted')).toBeLessThan(0.5 * collectionsOf('free'));
});
