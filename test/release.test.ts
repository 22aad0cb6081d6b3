import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  FILES_WITH_VERSION,
  faultOfPrices,
  faultOfVersion,
  notesOf,
  releaseChanges,
  renewVersion,
} from '../scripts/release/renew-versions.ts';

const ROOT = new URL('../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };

const MANIFESTS = globSync(
  ['apps/*/package.json', 'packages/*/package.json', '{bench,distribution}/package.json'],
  {
    cwd: ROOT,
  },
);

describe('the version', () => {
  test.each(MANIFESTS)('is the same in %s', (path) => {
    expect(JSON.parse(read(path))).toMatchObject({ version });
  });

  test.each(FILES_WITH_VERSION)('stands in %s', (path) => {
    expect(renewVersion(read(path), version, 'next')).toContain('next');
  });

  test('has its place in the changelog, or comes before the first release', () => {
    const [first, latest] = read('CHANGELOG.md').match(/^## .*$/gm)!;
    if (first === '## Unreleased')
      expect(latest).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}, \\d{4}-\\d\\d-\\d\\d$`));
    else expect(faultOfVersion(/^## (.*), first release$/.exec(first!)![1]!, version)).toBeUndefined();
  });
});

describe('a release', () => {
  test('needs prices that are at most 60 days old', () => {
    const table = { models: { one: { date: '2026-01-01' }, other: { date: '2026-03-01' } } };
    expect(faultOfPrices(table, '2026-04-30')).toBeUndefined();
    expect(faultOfPrices(table, '2026-05-01')).toContain('2026-03-01');
  });

  test.each([
    ['1.2.4', undefined],
    ['1.3.0', undefined],
    ['2.0.0', undefined],
    ['1.2.3', '1.2.3 is the current version'],
    ['1.1.9', '1.1.9 is before 1.2.3'],
    ['v1.2.4', 'v1.2.4 is not a version; use the form 1.2.3'],
    ['1.2', '1.2 is not a version; use the form 1.2.3'],
    ['1.02.4', '1.02.4 is not a version; use the form 1.2.3'],
  ])('to %s from 1.2.3: %s', (next, fault) => {
    expect(faultOfVersion(next, '1.2.3')).toBe(fault);
  });

  test('changes whole versions only', () => {
    expect(renewVersion('a:1.2.3, "1.2.3". 11.2.3 1.2.30 1.2.3.4 v1.2.3', '1.2.3', '2.0.0')).toBe(
      'a:2.0.0, "2.0.0". 11.2.3 1.2.30 1.2.3.4 v2.0.0',
    );
    expect(() => renewVersion('1.2.30', '1.2.3', '2.0.0')).toThrow('does not contain version 1.2.3');
  });

  test('puts what is unreleased under its heading', () => {
    expect(
      releaseChanges('# C\n\n## Unreleased\n\n- A $& change.\n\n## 1.0.0, x\n', '1.1.0', '2026-01-02'),
    ).toBe('# C\n\n## Unreleased\n\n## 1.1.0, 2026-01-02\n\n- A $& change.\n\n## 1.0.0, x\n');
    expect(() => releaseChanges('## Unreleased\n\n## 1.0.0, x\n\n- Old.\n', '1.1.0', 'x')).toThrow('nothing');
  });

  test('dates the first release, and takes no other version for it', () => {
    const changelog = '# C\n\n## 1.1.0, first release\n\n- A.\n';
    expect(releaseChanges(changelog, '1.1.0', '2026-01-02')).toBe(
      '# C\n\n## Unreleased\n\n## 1.1.0, 2026-01-02\n\n- A.\n',
    );
    expect(() => releaseChanges(changelog, '1.2.0', 'x')).toThrow('the first release is 1.1.0');
  });

  test('become the notes of the release', () => {
    const changelog = '# C\n\n## Unreleased\n\n## 1.1.0, 2026-01-02\n\n- A.\n\n## 1.0.0, x\n\n- Old.\n';
    expect(notesOf(changelog, '1.1.0')).toBe('- A.\n');
    expect(() => notesOf(changelog, '1.1')).toThrow('no version 1.1');
  });
});
