import { expect, test } from 'vitest';
import { misspell } from '../../src/retrieval/misspell.ts';

const query = 'please delete every archived branch of the repository and notify reviewers';

const changedWords = (text: string): string[] => {
  const words = text.split(' ');
  return query.split(' ').filter((word, position) => word !== words[position]);
};

test('changes the first, the fourth and every further third word of five letters or more', () => {
  // Long words: please, delete, every, archived, branch, repository, notify, reviewers.
  expect(changedWords(misspell(query, 'q1'))).toEqual(['please', 'archived', 'notify']);
});

test('makes the same mistakes for an id and others for another', () => {
  expect(misspell(query, 'q1')).toBe(misspell(query, 'q1'));
  const variants = new Set(Array.from({ length: 20 }, (_, position) => misspell(query, `q${position}`)));
  expect(variants.size).toBeGreaterThan(10);
});

test('loses, doubles or swaps one letter and keeps the first', () => {
  const variants = new Set(Array.from({ length: 400 }, (_, position) => misspell('train', `q${position}`)));
  expect([...variants].sort()).toEqual(
    [
      'tain',
      'trin',
      'tran',
      'train'.replace('ai', 'ia'),
      'tarin',
      'trani',
      'trrain',
      'traain',
      'traiin',
    ].sort(),
  );
});

test('never swaps two equal letters, which would be no mistake', () => {
  for (let id = 0; id < 50; id += 1) expect(misspell('aaaaaa', `q${id}`)).not.toBe('aaaaaa');
});

test('leaves short words alone and reads letters of every script', () => {
  expect(misspell('list my open pull tabs', 'q1')).toBe('list my open pull tabs');
  expect(misspell('показать', 'q1')).not.toBe('показать');
});
