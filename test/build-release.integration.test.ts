import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** The parts of a release that are built without credentials. A stand-in takes the place of Helm. */

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'winnow-release-'));
const out = join(folder, 'out');
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { version } = readJson(join(ROOT, 'package.json')) as { version: string };

const HELM = `#!/bin/sh
[ "$1 $3" = "package --destination" ] && cp "$2/values.yaml" "$4/winnow-${version}.tgz"
`;
const environment = { ...process.env, PATH: [folder, process.env.PATH].join(delimiter) };
const build = (...words: string[]) =>
  run(process.execPath, ['scripts/build-release.ts', ...words], { cwd: ROOT, env: environment });

beforeAll(async () => {
  writeFileSync(join(folder, 'helm'), HELM, { mode: 0o755 });
  await build(out, '--tag', `v${version}`);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('is the package, its bill of materials, the chart, the notes, and the checksums of all', () => {
  const files = globSync('*', { cwd: out }).toSorted();
  const contents = files.filter((name) => name !== 'SHA256SUMS');
  expect(contents).toEqual([
    'notes.md',
    `winnow-${version}.tgz`,
    `winnow-tools-${version}.cdx.json`,
    `winnow-tools-${version}.tgz`,
  ]);
  const sums = contents.map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(out, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  expect(readFileSync(join(out, 'SHA256SUMS'), 'utf8')).toBe(sums.join(''));
});

test('has a bill of materials with every dependency, and its digest', () => {
  const { metadata, components } = readJson(join(out, `winnow-tools-${version}.cdx.json`)) as {
    metadata: { component: { purl: string } };
    components: { name: string; version: string; purl: string; hashes?: object[] }[];
  };
  expect(metadata.component.purl).toBe(`pkg:npm/winnow-tools@${version}`);
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['undici', 'yaml', 'zod']));
  expect(names.filter((name) => ['pg', 'vitest', 'typescript'].includes(name))).toEqual([]);
  expect(components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
});

test('takes the published images for the chart, and the changes of the version for the notes', () => {
  expect(readFileSync(join(out, `winnow-${version}.tgz`), 'utf8')).toContain(
    '\n  registry: ghcr.io/winnow-tools\n',
  );
  const notes = readFileSync(join(out, 'notes.md'), 'utf8');
  expect(notes.length).toBeGreaterThan(200);
  expect(notes).not.toMatch(/^## /m);
});

test('is what npm would publish', async () => {
  const tarball = join(out, `winnow-tools-${version}.tgz`);
  const { stdout } = await run('npm', ['pack', tarball, '--dry-run', '--json'], { cwd: folder });
  const [{ name, files }] = JSON.parse(stdout) as [{ name: string; files: { path: string }[] }];
  expect(name).toBe('winnow-tools');
  const paths = files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['package.json', 'winnow-tools.cjs', 'README.md', 'LICENSE', 'dist/register.js']),
  );
  expect(paths.filter((path) => /package-lock|node_modules|\.env/.test(path))).toEqual([]);
});

test('is not built for the tag of another version', async () => {
  await expect(build(join(folder, 'other'), '--tag', 'v9.9.9')).rejects.toThrow(
    `the tag v9.9.9 is not v${version}`,
  );
});
