import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readStages } from './deploy/dockerfile.ts';

const ROOT = join(import.meta.dirname, '..');
const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const PATH = '.github/workflows/release.yml';
const text = readText(PATH);

const Variables = z.record(z.string(), z.string());
const Job = z.strictObject({
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  'runs-on': z.literal('ubuntu-24.04'),
  'timeout-minutes': z.int().max(60),
  environment: z.literal('release').optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
  strategy: z.strictObject({ matrix: z.strictObject({ target: z.array(z.string()) }) }).optional(),
  env: Variables.optional(),
  steps: z.array(
    z.strictObject({
      id: z.string().optional(),
      name: z.string().optional(),
      uses: z.string().optional(),
      with: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
      run: z.string().optional(),
      env: Variables.optional(),
    }),
  ),
});

/** Strict, so that a misspelt key fails as it would with the vendor. */
const Workflow = z.strictObject({
  name: z.string(),
  on: z.strictObject({ push: z.strictObject({ tags: z.array(z.string()) }) }),
  permissions: z.strictObject({}),
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.literal(false) }),
  env: Variables,
  jobs: z.record(z.string(), Job),
});

const { jobs, env } = Workflow.parse(parse(text));
const steps = Object.values(jobs).flatMap((job) => job.steps);
const commands = steps.flatMap(({ run }) => run ?? []);

test('each job of the release has the permissions that it uses, and no other', () => {
  const permissions = Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, job.permissions]));
  expect(permissions).toEqual({
    check: { contents: 'read' },
    package: { contents: 'write', 'id-token': 'write', attestations: 'write' },
    images: { contents: 'read', packages: 'write', 'id-token': 'write' },
    chart: { contents: 'read', packages: 'write', 'id-token': 'write', attestations: 'write' },
  });
});

test('nothing is published before the tests have passed, and without the environment', () => {
  const needsOf = (name: string): string[] => {
    const direct = [jobs[name]!.needs ?? []].flat();
    return [...direct, ...direct.flatMap(needsOf)];
  };
  for (const [name, job] of Object.entries(jobs)) {
    if (name === 'check') expect(job.steps.at(-1)!.run).toBe('.ci/run');
    else expect([needsOf(name).includes('check'), job.environment]).toEqual([true, 'release']);
  }
});

test('actions of others are pinned to a commit, with its version, and keep no credential', () => {
  const lines = text.match(/uses: .*/g)!;
  expect(lines.length).toBe(steps.filter(({ uses }) => uses !== undefined).length);
  for (const line of lines) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  for (const { uses, with: options } of steps) {
    if (uses?.startsWith('actions/checkout@')) expect(options).toEqual({ 'persist-credentials': false });
  }
});

test('commands take values from variables only, and no secret but the token of the job', () => {
  // A name of a tag in a command would be a command.
  for (const command of commands) expect(command).not.toContain('${{');
  expect(text).not.toMatch(/\bsecrets\./);
});

test('the scripts, files and targets that it names are there', () => {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
  const named = commands.flatMap((command) =>
    [...command.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name!),
  );
  expect(named).toEqual(['build:release']);
  for (const name of named) expect(scripts).toHaveProperty([name]);
  expect(statSync(join(ROOT, '.ci/run')).mode & 0o111).not.toBe(0);
  const stages = readStages().map(({ name }) => name);
  const { target } = jobs.images!.strategy!.matrix;
  for (const name of target) expect(stages).toContain(name);
  const apps = globSync('apps/*/src/server.ts', { cwd: ROOT }).map((path) => path.split('/')[1]!);
  expect(apps.filter((app) => !target.includes(app))).toEqual([]);
  const { packageManager } = JSON.parse(readText('package.json')) as { packageManager: string };
  expect(commands.join('\n')).toContain(`npx --yes ${packageManager} publish`);
});

test('images, chart and package have the addresses that the documents name', () => {
  expect(readText('scripts/build-release.ts')).toContain(`const IMAGES = '${env.IMAGES}';`);
  const guide = readText('docs/operations/releasing.md');
  expect(guide).toContain(`oci://${env.IMAGES}/charts/winnow`);
  for (const name of jobs.images!.strategy!.matrix.target) expect(guide).toContain(`winnow-${name}`);
});
