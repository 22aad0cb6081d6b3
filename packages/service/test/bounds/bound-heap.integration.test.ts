import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('throw-values-away.ts', import.meta.url));

/** Runs it as on a machine with much memory. */
function run(mode: 'bounded' | 'free'): { most: number; collector: string } {
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-old-space-size=4096', PROGRAM, mode], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

test('a bounded heap keeps less garbage than V8 would, and leaves no collector behind for everybody', () => {
  const [bounded, free] = [run('bounded'), run('free')];
  expect(bounded.collector).toBe('undefined');
  expect(bounded.most).toBeLessThan(0.75 * free.most);
});
