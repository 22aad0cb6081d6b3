import { existsSync, globSync, statSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, readText } from './compose-file.ts';
import { commandOf, environmentOf, readStages, type Stage } from './dockerfile.ts';

const stages = readStages();
const stageOf = (name: string) => stages.find((stage) => stage.name === name)!;
const services = ['selector', 'proxy', 'registry', 'attach'] as const;

/** The registry's own package has the name. */
const workspaceOf = (service: string) =>
  service === 'registry' ? '@winnow/registry-app' : `@winnow/${service}`;

/** The paths that stages copy from the checkout, not from other stages. */
const copiedPaths = (stage: Stage) =>
  stage.instructions
    .filter(({ name, rest }) => name === 'COPY' && !rest.startsWith('--from'))
    .flatMap(({ rest }) => rest.split(' ').slice(0, -1));

test('every base is a stage above or the very version of Node that the tests run on', () => {
  const { devDependencies } = JSON.parse(readText('package.json')) as {
    devDependencies: Record<string, string>;
  };
  stages.forEach(({ base }, place) => {
    if (stages.slice(0, place).some(({ name }) => name === base)) return;
    expect(base).toBe(`node:${devDependencies.node}-trixie-slim`);
  });
});

test('every path that is copied exists, and the builder is sent it', () => {
  const paths = stages.flatMap(copiedPaths);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const files = new Set(sentFiles());
  const wanted = paths.flatMap((path) =>
    isFile(path) ? path : globSync([`${path}/package.json`, `${path}/src/**`], { cwd: ROOT }).filter(isFile),
  );
  expect(wanted.length).toBeGreaterThan(100);
  expect(wanted.filter((path) => !files.has(path))).toEqual([]);
});

test('npm finds the manifest of every workspace that the lock file names', () => {
  const lock = JSON.parse(readText('package-lock.json')) as { packages: Record<string, object> };
  const workspaces = Object.keys(lock.packages).filter((path) =>
    /^((apps|packages)\/[^/]+|bench)$/.test(path),
  );
  expect(workspaces.length).toBeGreaterThan(5);
  const manifests = copiedPaths(stageOf('manifests'));
  expect(
    workspaces.map((path) => `${path}/package.json`).filter((path) => !manifests.includes(path)),
  ).toEqual([]);
});

describe.each(services)('the image of the %s', (service) => {
  const stage = stageOf(service);

  test('installs what its workspace needs in production, without install scripts', () => {
    const install = stageOf(`${service}-files`).instructions.find(({ name }) => name === 'RUN')!.rest;
    for (const part of ['npm ci', '--omit=dev', '--ignore-scripts', `--workspace ${workspaceOf(service)}`]) {
      expect(install).toContain(part);
    }
  });

  test('holds the sources of its app and of every package of ours that it depends on, and of no other', () => {
    const copied = copiedPaths(stageOf(`${service}-files`));
    expect(copied.toSorted()).toEqual(ownPackages(`apps/${service}`).toSorted());
  });

  test('runs as a user that is not root, given by number', () => {
    expect(stage.instructions.find(({ name }) => name === 'USER')!.rest).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  test('is stopped by the signal that drains it, which no shell swallows', () => {
    expect(stage.instructions).toContainEqual({ name: 'STOPSIGNAL', rest: 'SIGTERM' });
    expect(commandOf(stage, 'CMD')[0]).toBe('node');
  });

  test('starts what npm starts', () => {
    const { scripts } = JSON.parse(readText('package.json'));
    const cache = environmentOf(stage).NODE_COMPILE_CACHE?.replace('/app/', 'NODE_COMPILE_CACHE=');
    const words = [...(cache === undefined ? [] : [cache]), 'exec', ...commandOf(stage, 'CMD')];
    expect(words.join(' ')).toBe(scripts[`start:${service}`]);
  });

  test('asks for its health at the port that it exposes', () => {
    const port = stage.instructions.find(({ name }) => name === 'EXPOSE')!.rest;
    const [, , line] = commandOf(stage, 'HEALTHCHECK');
    const [, program, asked] = /^exec node (\S+) "([^"]+)" \/\S*readyz/.exec(line!)!;
    const prefix = service.toUpperCase();
    const isProxy = service === 'proxy';
    expect(asked).toBe(isProxy ? '$PROXY_SERVER_PORT' : `\${${prefix}_SERVER_PORT:-${port}}`);
    if (isProxy) expect(environmentOf(stage).PROXY_SERVER_PORT).toBe(port);
    expect(existsSync(join(ROOT, program!))).toBe(true);
    const tlsFiles = `"$${prefix}_SERVER_TLS_FOLDER" "$${prefix}_SERVER_CLIENT_CA_FILE"`;
    expect(line!.endsWith(tlsFiles)).toBe(true);
  });
});

test('folders that the builder is sent something of are let in by their names, as old builders look into no others', () => {
  const patterns = readText('.dockerignore').split('\n');
  const folders = patterns.flatMap((pattern) => /^!(\w+)\/\*/.exec(pattern)?.[1] ?? []);
  expect(new Set(folders)).toEqual(new Set(['apps', 'packages', 'models']));
  for (const folder of folders) {
    const [letIn, emptied] = [patterns.indexOf(`!${folder}`), patterns.indexOf(`${folder}/*/*`)];
    expect(letIn).toBeGreaterThanOrEqual(0);
    expect(emptied).toBeGreaterThan(letIn);
  }
});

test('the builder is sent sources and manifests, and nothing else that may lie about', () => {
  const files = sentFiles();
  expect(files.length).toBeGreaterThan(50);
  const isWanted = (path: string) => path.includes('/src/') || /(^|\/)package(-lock)?\.json$/.test(path);
  expect(files.filter((path) => !isWanted(path) || path.includes('/test/'))).toEqual([]);
});

/** Folders of a workspace and of all its production dependencies. */
function ownPackages(home: string, seen: string[] = []): string[] {
  if (seen.includes(home)) return seen;
  const { dependencies = {} } = JSON.parse(readText(`${home}/package.json`)) as {
    dependencies?: Record<string, string>;
  };
  const packages = Object.keys(dependencies).filter((name) => name.startsWith('@winnow/'));
  return packages.reduce(
    (all, name) => ownPackages(name.replace('@winnow/', 'packages/'), all),
    [...seen, home],
  );
}

let sent: readonly string[] | undefined;

/**
 * Files of the checkout that `.dockerignore` lets through, computed once: the last line that matches a path
 * or a folder above it decides.
 */
function sentFiles(): readonly string[] {
  sent ??= findSentFiles();
  return sent;
}

function findSentFiles(): readonly string[] {
  const patterns = readText('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isSent = (path: string) => {
    const last = patterns.findLast((pattern) => fits(pattern.replace('!', ''), path));
    return last === undefined || last.startsWith('!');
  };
  const isApart = (path: string) => path === '.git' || path.endsWith('node_modules');
  return globSync('**', { cwd: ROOT, exclude: isApart }).filter(isFile).filter(isSent);
}

const isFile = (path: string) => statSync(join(ROOT, path)).isFile();

const fits = (pattern: string, path: string) =>
  matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`);
