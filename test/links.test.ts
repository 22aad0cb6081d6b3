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

/** A page without its code, in which brackets and `#` mean something else. */
const proseOf = (path: string) => read(path).replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, '');

/** The targets of Markdown links and of images, with the address of this repository left out. */
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
