import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES } from './rules.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Rules that the names of tests begin with, in the tests of some packages. */
function provedIn(...homes: readonly string[]): ReadonlySet<string> {
  const files = globSync(`{${homes.join(',')},}/test/**/*.ts`, { cwd: ROOT });
  const texts = files.map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(/['"`](R\d+): /g)]);
  return new Set(names.map((name) => name[1]!));
}

describe('every rule', () => {
  test('has a number of its own, and only R59 is missing', () => {
    const numbers = RULES.map(({ id }) => Number(id.slice(1)));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 85 }, (_, n) => n + 1).filter((n) => n !== 59),
    );
  });

  test('has a test of its name at its level', () => {
    const proved = { L: provedIn('packages/registry', 'packages/mcp'), H: provedIn('apps/registry') };
    const missing = RULES.flatMap(({ id, level }) =>
      (['L', 'H'] as const)
        .filter((one) => level.includes(one) && !proved[one].has(id))
        .map((one) => `${id} (${one})`),
    );
    expect(missing).toEqual([]);
  });
});
