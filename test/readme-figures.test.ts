import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** The cells of every row of a document's tables. */
function rowsOf(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

const results = rowsOf(read('bench/results/retrieval.md'));
const header = results.find(([first]) => first === 'set')!;

/** A figure of the mean over all sets, as the README writes it: `.793`. */
function meanOf(ranker: string, column: string): string {
  const row = results.find(([set, name]) => set!.startsWith('mean of') && name === ranker)!;
  return row[header.indexOf(column)]!.replace(/^0/, '');
}

test.each([
  ['Winnow', 'bm25'],
  ["wink-bm25-text-search, with Winnow's tokens", 'wink'],
])('the README has the figures of %s that were measured', (label, ranker) => {
  const row = rowsOf(read('README.md')).find(([first]) => first === label)!;
  expect(row.slice(1)).toEqual(
    ['NDCG@10', 'misspelt NDCG@10', 'own Hit@1'].map((column) => meanOf(ranker, column)),
  );
});

test('the README names as many sets as were measured', () => {
  const [label] = results.find(([set]) => set!.startsWith('mean of'))!;
  expect(label).toBe('mean of 8');
  const names = /BFCL[^.]*/.exec(read('README.md'))![0].split(/, | and /);
  expect(names).toHaveLength(8);
});
