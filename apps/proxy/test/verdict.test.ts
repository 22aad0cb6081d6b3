import { expect, test } from 'vitest';
import { readVerdict, writeVerdict } from '../src/sessions/notes.ts';

test.each(['native', 'bridge', 'swap', 'bypass'] as const)('reads the verdict %s again', (mode) => {
  const verdict = { mode, dropsThinking: true };
  expect(readVerdict(writeVerdict(verdict))).toEqual(verdict);
});

test('ignores a verdict whose mode another version has', () => {
  expect(readVerdict('{"mode":"teleport","dropsThinking":false}')).toBeUndefined();
});
