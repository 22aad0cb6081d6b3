import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';
import { watchSettings } from '../src/reload-settings.ts';

function watch(first: string | undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-watch-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, certificate] = [join(folder, 'settings.yaml'), join(folder, 'server.pem')];
  if (first !== undefined) writeFileSync(file, first);
  const told: unknown[] = [];
  const more: string[] = [];
  let reloads = 0;
  const watched = watchSettings({
    files: () => [file, certificate, ...more],
    reload: () => {
      reloads += 1;
      return { ok: true, changed: [`reload ${reloads}`], needsRestart: [] };
    },
    tell: (outcome) => told.push(outcome),
  });
  const write = (text: string, to = file) => writeFileSync(to, text);
  return { ...watched, write, certificate, more, told, file, remove: () => rmSync(file) };
}

test('a change is taken over once, and not before it has settled', () => {
  const { check, write, told } = watch('a: 1');
  check();
  check();
  expect(told).toEqual([]);
  write('a: ');
  check();
  write('a: 2');
  check();
  expect(told).toEqual([]);
  check();
  check();
  expect(told).toEqual([{ ok: true, changed: ['reload 1'], needsRestart: [] }]);
});

test('a certificate that changes counts, and a file that comes', () => {
  const { check, write, certificate, told } = watch(undefined);
  write('PEM', certificate);
  for (let times = 0; times < 3; times += 1) check();
  write('a: 1');
  for (let times = 0; times < 3; times += 1) check();
  expect(told).toHaveLength(2);
});

test('a file that matters only since a reload counts from then on', () => {
  const { check, reload, write, more, file, told } = watch('a: 1');
  const added = `${file}.more`;
  write('b', added);
  more.push(added);
  reload();
  for (let times = 0; times < 3; times += 1) check();
  expect(told).toHaveLength(1);
  write('c', added);
  for (let times = 0; times < 3; times += 1) check();
  expect(told).toHaveLength(2);
});

test('a file that is emptied or removed is refused', () => {
  const { check, write, told, file, remove } = watch('a: 1');
  const refused = { ok: false, problems: [`${file} is missing, is not a file, or has no setting.`] };
  write('');
  for (let times = 0; times < 3; times += 1) check();
  expect(told).toEqual([refused]);
  write('a: 1');
  for (let times = 0; times < 3; times += 1) check();
  write('# Settings of the team\n\n---\n  # b: 2\n');
  for (let times = 0; times < 3; times += 1) check();
  remove();
  for (let times = 0; times < 3; times += 1) check();
  expect(told).toEqual([refused, { ok: true, changed: ['reload 1'], needsRestart: [] }, refused, refused]);
});

test('a pipe or device, which gives its content once, is not taken for a file without settings', () => {
  const told: unknown[] = [];
  const { check, reload } = watchSettings({
    files: () => ['/dev/null'],
    reload: () => ({ ok: true, changed: ['everything'], needsRestart: [] }),
    tell: (outcome) => told.push(outcome),
  });
  for (let times = 0; times < 3; times += 1) check();
  reload();
  expect(told).toEqual([
    { ok: false, problems: ['/dev/null is missing, is not a file, or has no setting.'] },
  ]);
});

test('asked for, it reloads at once, and not again for the same change', () => {
  const { check, reload, write, told } = watch('a: 1');
  write('a: 2');
  reload();
  for (let times = 0; times < 3; times += 1) check();
  expect(told).toHaveLength(1);
});
