import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { printSettings } from '../../src/settings/read-service.ts';
import { readSettings } from '../../src/settings/read-settings.ts';
import * as setting from '../../src/settings/setting-kinds.ts';

const DECLARATION = {
  table: {
    key: setting.secret('every_request'),
    tokens: setting.bearerTokens(),
    url: setting.secretText('own_data', () => true, 'an address'),
    name: setting.file(''),
  },
  prefix: 'TEST',
  defaultFile: '',
} as const;

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'winnow-secrets-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const write = (name: string, text: string) => {
    writeFileSync(join(path, name), text);
    return join(path, name);
  };
  return { path, write };
}

test('secrets come from files, in the settings and in variables', () => {
  const { path, write } = folder();
  write('key', 'sk-1\n');
  write('tokens', 'one\ntwo\r\nthree\n');
  symlinkSync(join(path, 'key'), join(path, 'linked'));
  const file = write(
    'settings.yaml',
    `key: "\${file:${path}/key}"\nurl: "redis://u:\${file:${path}/linked}@h"`,
  );
  const environment = { TEST_TOKENS: `\${file:${path}/tokens}`, OTHER: `\${file:${path}/absent}` };
  const read = readSettings(DECLARATION, { file, environment });
  expect(read.problems).toEqual([]);
  expect(read.values).toMatchObject({
    key: 'sk-1',
    tokens: ['one', 'two', 'three'],
    url: 'redis://u:sk-1@h',
  });
  expect(read.files).toEqual([file, join(path, 'key'), join(path, 'linked'), join(path, 'tokens')]);
});

test.each([
  ['absent', /^.*: Line 1: key needs the file .*absent, which cannot be read \(ENOENT\)\.$/],
  ['empty', /which is empty\.$/],
  ['blank', /which is empty\.$/],
  ['large', /which is larger than 64 KiB\.$/],
  ['folder', /which is not a file\.$/],
])('a file that is %s is a problem that names it', (name, problem) => {
  const { path, write } = folder();
  write('empty', '');
  write('blank', '\n');
  write('large', 'x'.repeat(65_537));
  mkdirSync(join(path, 'folder'));
  const file = write('settings.yaml', `key: "\${file:${path}/${name}}"`);
  const { problems, files } = readSettings(DECLARATION, { file, environment: {} });
  expect(problems).toEqual([expect.stringMatching(problem)]);
  // Tokens, which are needed, are not said to be missing as well.
  const tokens = { TEST_TOKENS: `\${file:${path}/${name}}` };
  expect(readSettings(DECLARATION, { environment: tokens }).problems).toHaveLength(1);
  expect(files).toContain(join(path, name));
});

test('a secret that a header cannot carry is refused without being shown', () => {
  const { path, write } = folder();
  write('key', 'two\nlines');
  const { problems } = readSettings(DECLARATION, {
    environment: { TEST_KEY: `\${file:${path}/key}` },
  });
  expect(problems).toEqual(['TEST_KEY must be a key of visible ASCII characters.']);
});

test('a printed secret stands as its file, and is read again', () => {
  const { path, write } = folder();
  const key = write('key', 'sk-1');
  const first = readSettings(DECLARATION, {
    environment: { TEST_KEY: `\${file:${key}}`, TEST_TOKENS: 'abc' },
  });
  const printed = printSettings(DECLARATION, first);
  expect(printed).toContain(`key: \${file:${key}}\ntokens: \${TEST_TOKENS}\n`);
  expect(printed).not.toContain('sk-1');
  const again = readSettings(DECLARATION, {
    file: write('printed.yaml', printed),
    environment: { TEST_TOKENS: 'abc' },
  });
  expect([again.problems, again.values]).toEqual([[], first.values]);
  expect(path).not.toBe('');
});
