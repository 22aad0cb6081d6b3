import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { headingAnchors } from './deploy/heading-anchors.ts';
import { ROOT } from './source-files.ts';

const PLACES = '{apps,packages,bench,clients,deploy,distribution,docs,examples,scripts,test}';
const isInstalled = (path: string) => /(?:^|\/)(?:node_modules|built|models|data)(?:\/|$)/.test(path);
const find = (patterns: readonly string[]) => globSync(patterns, { cwd: ROOT, exclude: isInstalled });

const PAGES = find(['*.md', `${PLACES}/**/*.md`]);
const SOURCES = find([
  '.env.example',
  'Dockerfile',
  'docker-compose.yml',
  `${PLACES}/**/*.{ts,html,py,yml,yaml,service,json}`,
]);

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** A page without its code, where brackets and `#` have other meanings. */
const proseOf = (path: string) => read(path).replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, '');

/** The targets of Markdown links and of images, without the address of this repository. */
function linksIn(page: string): readonly string[] {
  const markdown = [...page.matchAll(/\]\(([^)\s]+)\)/g)];
  const html = [...page.matchAll(/\b(?:src|srcset|href)="([^"\s]+)"/g)];
  return [...markdown, ...html].map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
}

/** Whether a place in the repository exists: a file or folder and, in a page, a heading with the anchor. */
function exists(path: string, anchor: string | undefined): boolean {
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || (path.endsWith('.md') && headingAnchors(proseOf(path)).includes(anchor));
}

function isBroken(page: string, target: string): boolean {
  const [path, anchor] = target.split('#');
  return !exists(path === '' ? page : normalize(join(dirname(page), path!)), anchor);
}

describe('links', () => {
  test.each(PAGES)('of %s lead to files and headings that exist', (page) => {
    expect(linksIn(proseOf(page)).filter((target) => isBroken(page, target))).toEqual([]);
  });

  test('are found in the pages', () => {
    expect(PAGES.flatMap((page) => linksIn(proseOf(page))).length).toBeGreaterThan(200);
  });
});

describe('pages of the documentation', () => {
  const named = SOURCES.flatMap((path) =>
    [...read(path).matchAll(/\bdocs\/([\w/-]+\.md)(?:#([\w-]+))?/g)]
      .filter(({ index, input }) => !/[\w/]$/.test(input.slice(0, index).replace(/(?:\.\.\/)+$/, '')))
      .map(([, page, anchor]) => ({ path, page: `docs/${page}`, anchor })),
  );

  test('that programs and configuration name exist', () => {
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ page, anchor }) => !exists(page, anchor))).toEqual([]);
  });

  test('have 300 lines at most', () => {
    const long = PAGES.filter((page) => page.startsWith('docs/') && read(page).split('\n').length > 301);
    expect(long).toEqual([]);
  });
});

describe('the documents of the code', () => {
  const homes = find(['{apps,packages}/*/package.json']).map((path) => dirname(path));

  test.each(homes)('%s has a README of 30 lines at most', (home) => {
    expect(read(`${home}/README.md`).trimEnd().split('\n').length).toBeLessThanOrEqual(30);
  });

  /** The paths that a page names in backticks: folders end in `/`, programs in `.ts`. */
  const pathsIn = (page: string) =>
    [...proseOf(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\/|\.ts))`/g)].map(([, path]) => path!);

  const isThere = (home: string, path: string) =>
    ['', 'src', 'packages', 'test'].some((folder) => existsSync(join(ROOT, home, folder, path))) ||
    find([`${home}/src/**/${path}`]).length > 0;

  test.each(homes)('the README of %s names folders and files that exist', (home) => {
    const paths = pathsIn(`${home}/README.md`).filter((path) => !existsSync(join(ROOT, path)));
    expect(paths.filter((path) => !isThere(home, path))).toEqual([]);
  });

  test('ARCHITECTURE.md names folders and files that exist, in 1,200 words at most', () => {
    const page = read('ARCHITECTURE.md');
    expect(page.split(/\s+/).length).toBeLessThanOrEqual(1_200);
    const [, ...paths] = page.split(/^\*\*.*?\(`((?:apps|packages)\/[\w-]+\/src)`.*$/m);
    expect(paths.length).toBe(8);
    for (let at = 0; at < paths.length; at += 2) {
      const named = [...paths[at + 1]!.split('\n## ')[0]!.matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\/|\.ts))`/g)];
      const missing = named.filter(
        ([, path]) => ![path!, `${paths[at]}/${path}`].some((one) => existsSync(join(ROOT, one))),
      );
      expect(missing.map(([, path]) => path)).toEqual([]);
    }
  });
});
