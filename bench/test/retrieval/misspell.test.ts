import { expect, test } from 'vitest';
import { misspell } from '../../src/retrieval/misspell.ts';

const query = 'please delete every archived branch of the repository and notify reviewers';

const changedWords = (text: string): string[] => {
  const words = text.split(' ');
  return query.split(' ').filter((word, position) => word !== words[position]);
};

test('changes every third word of five letters or more, wherever it begins to count', () => {
  // Long words: please, delete, every, archived, branch, repository, notify, reviewers.
  const changed = Array.from({ length: 50 }, (_, id) => changedWords(misspell(query, `q${id}`)).join(' '));
  expect([...new Set(changed)].sort()).toEqual([
    'delete branch reviewers',
    'every repository',
    'please archived notify',
  ]);
});

test('makes the same mistakes for an id and others for another', () => {
  expect(misspell(query, 'q1')).toBe(misspell(query, 'q1'));
  const variants = new Set(Array.from({ length: 20 }, (_, position) => misspell(query, `q${position}`)));
  expect(variants.size).toBeGreaterThan(10);
});

test('loses, doubles or swaps one letter and keeps the first', () => {
  const variants = new Set(Array.from({ length: 400 }, (_, id) => misspell('train', `q${id}`)));
  const lost = ['tain', 'tran', 'trin'];
  const doubled = ['traain', 'traiin', 'trrain'];
  const swapped = ['tarin', 'trani', 'trian'];
  // Untouched where the count does not fall on the word.
  expect([...variants].sort()).toEqual([...lost, ...doubled, ...swapped, 'train'].sort());
});

test('never swaps two equal letters, which would be no mistake', () => {
  const variants = new Set(Array.from({ length: 100 }, (_, id) => misspell('aaaaaa', `q${id}`)));
  // Untouched where the count does not fall on the word, otherwise one letter less or more.
  expect([...variants].sort()).toEqual(['aaaaa', 'aaaaaa', 'aaaaaaa']);
});

test('leaves short words alone and reads letters of every script', () => {
  expect(misspell('list my open pull tabs', 'q1')).toBe('list my open pull tabs');
  const variants = new Set(Array.from({ length: 50 }, (_, id) => misspell('показать', `q${id}`)));
  expect(variants.size).toBeGreaterThan(5);
});
