import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT, readSourceFiles } from './source-files.ts';

/**
 * Every manifest lists exactly the packages that its own sources import. An unused library would be
 * installed, updated and trusted for nothing; a missing one breaks where only one workspace is installed, as
 * in an image.
 */

const FILES = readSourceFiles('{apps,packages,bench,distribution,test,examples,scripts}/**/*.ts').concat(
  readSourceFiles('*.ts'),
);

const WORKSPACES = globSync('{apps/*,packages/*,bench,distribution}/package.json', { cwd: ROOT })
  .map((path) => path.slice(0, -'/package.json'.length))
  .sort();

/** Packages that the root provides for all workspaces: command-line tools and the test runner. */
const TOOLS = ['@biomejs/biome', '@types/node', 'node', 'turbo', 'typescript', 'vitest'];

/** Packages of which one file is served, and nothing is imported. */
const SERVED = ['openapi-explorer'];

/**
 * Packages that libraries in the tests require as peers: `openai/providers/bedrock/aws`, and the proxy's
 * chain of credentials.
 */
const PEERS = ['@aws-sdk/credential-provider-node', '@smithy/hash-node', '@smithy/signature-v4'];

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(home: string): Manifest {
  return JSON.parse(readFileSync(join(ROOT, home, 'package.json'), 'utf8')) as Manifest;
}

/** The packages that files import, each once, by name only. */
function packagesOf(files: readonly { imports: readonly string[] }[]): Set<string> {
  const names = files.flatMap(({ imports }) => imports).filter((name) => !/^(\.|node:)/.test(name));
  const isScoped = (name: string) => name.startsWith('@');
  return new Set(
    names
      .filter((name) => !builtinModules.includes(name))
      .map((name) => name.split('/', isScoped(name) ? 2 : 1).join('/')),
  );
}

/** A package that uses `x` also uses `@types/x`. */
const typedBy = (name: string) => name.replace(/^@types\//, '');

function imported(home: string) {
  const files = FILES.filter((file) => file.home === home);
  const inProduction = packagesOf(files.filter(({ isProduction }) => isProduction));
  const anywhere = packagesOf(files);
  return { inProduction, inTestsOnly: [...anywhere].filter((name) => !inProduction.has(name)), anywhere };
}

describe.each(WORKSPACES)('%s', (home) => {
  const { dependencies = {}, devDependencies = {} } = readManifest(home);
  const { inProduction, inTestsOnly, anywhere } = imported(home);

  test('depends on what its sources import', () => {
    expect(Object.keys(dependencies).sort()).toEqual([...inProduction].sort());
  });

  test('depends for development on what its tests alone import', () => {
    const types = Object.keys(devDependencies).filter((name) => name !== typedBy(name));
    expect(types.filter((name) => !anywhere.has(typedBy(name)))).toEqual([]);
    const others = Object.keys(devDependencies).filter(
      (name) => !types.includes(name) && !SERVED.includes(name),
    );
    expect(others.sort()).toEqual(inTestsOnly.filter((name) => !TOOLS.includes(name)).sort());
  });
});

test('the root depends on what its own tests, examples and scripts import, on its tools and on nothing else', () => {
  const { dependencies = {}, devDependencies = {} } = readManifest('.');
  const { anywhere } = imported('.');
  expect(dependencies).toEqual({});
  // Workspaces are listed in the root only.
  const foreign = [...anywhere].filter((name) => !name.startsWith('@winnow/'));
  expect(Object.keys(devDependencies).sort()).toEqual([...new Set([...TOOLS, ...PEERS, ...foreign])].sort());
});

test('imports are seen at all, and texts in quotes are none', () => {
  expect(imported('apps/proxy').inProduction).toContain('undici');
  expect(imported('packages/service').inProduction).toContain('yaml');
  expect(
    FILES.flatMap(({ imports }) => imports).filter((name) => !/^[@.a-z][\w@./:-]*$/i.test(name)),
  ).toEqual([]);
});
