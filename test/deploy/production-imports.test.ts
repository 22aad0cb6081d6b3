import { globSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { expect, test } from 'vitest';
import { ROOT, readText } from './compose-file.ts';

/** What the images install is what the manifests call dependencies; on this machine everything is there, whether declared or not. */

const WORKSPACES = globSync('{apps,packages}/*', { cwd: ROOT }).filter((path) => !path.endsWith('testkit'));

/** Names of the packages that the sources of a workspace import, types left out: they are gone at run time. */
function importedPackages(home: string): readonly string[] {
  const names = globSync(`${home}/{src,bin}/**/*.ts`, { cwd: ROOT }).flatMap((path) => {
    const text = readText(path).replace(
      /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^(import|export) type [\s\S]*?;$/gm,
      '',
    );
    return [...text.matchAll(/\b(?:from |import |import\()'([^'.][^']*)'\)?;$/gm)].map((match) => match[1]!);
  });
  const packages = names.filter((name) => !isBuiltin(name)).map((name) => packageOf(name));
  return [...new Set(packages)];
}

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

test.each(WORKSPACES)('%s declares every package that it runs with', (home) => {
  const { dependencies = {} } = JSON.parse(readText(`${home}/package.json`)) as {
    dependencies?: Record<string, string>;
  };
  expect(importedPackages(home).filter((name) => !(name in dependencies))).toEqual([]);
});

test('imports are seen at all', () => {
  expect(importedPackages('apps/proxy')).toContain('undici');
  expect(importedPackages('packages/wire')).toContain('eventsource-parser');
});
