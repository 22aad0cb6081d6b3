import { describe, expect, test } from 'vitest';
import { chooseTools, type Match } from '../src/search/select-tools.ts';

const match = (name: string, score: number): Match => ({ name, score, matchedOn: ['name'] });
const RANKED = [match('a', 10), match('b', 8), match('c', 6), match('d', 4), match('e', 2), match('f', 1)];

const namesOf = (...args: Parameters<typeof chooseTools>) =>
  chooseTools(...args).chosen.map((tool) => tool.name);

describe('top_k', () => {
  test.each([
    [1, ['a']],
    [3, ['a', 'b', 'c']],
    [6, ['a', 'b', 'c', 'd', 'e', 'f']],
    [1_000, ['a', 'b', 'c', 'd', 'e', 'f']],
  ])('caps the list at %i', (topK, names) => {
    expect(namesOf(RANKED, [], topK)).toEqual(names);
  });

  test('is a hard cap when there is much to keep', () => {
    expect(namesOf(RANKED, ['x', 'y', 'z', 'f', 'e', 'd'], 3)).toHaveLength(3);
  });
});

describe('a name to keep', () => {
  test('takes a slot from the others: five slots, one name, four best others', () => {
    expect(namesOf(RANKED, ['x'], 5)).toEqual(['a', 'b', 'c', 'd', 'x']);
  });

  test('is at its own rank when it matched', () => {
    expect(namesOf(RANKED, ['c'], 5)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(namesOf(RANKED, ['f'], 3)).toEqual(['a', 'b', 'f']);
  });

  test('never takes the first slot', () => {
    expect(namesOf(RANKED, ['x'], 1)).toEqual(['a']);
    expect(namesOf(RANKED, ['f'], 1)).toEqual(['a']);
    expect(chooseTools(RANKED, ['x'], 1).keptLeftOut).toBe(1);
  });

  test('is the best match itself, and then takes the slot of the best match', () => {
    expect(namesOf(RANKED, ['a'], 1)).toEqual(['a']);
    expect(namesOf(RANKED, ['a'], 3)).toEqual(['a', 'b', 'c']);
    expect(namesOf(RANKED, ['a', 'x'], 2)).toEqual(['a', 'x']);
    expect(chooseTools(RANKED, ['a', 'x'], 2).keptLeftOut).toBe(0);
  });

  test('counts once when it stands there twice', () => {
    expect(namesOf(RANKED, ['x', 'x', 'x'], 3)).toEqual(['a', 'b', 'x']);
    expect(chooseTools(RANKED, ['x', 'x', 'y', 'y'], 2).keptLeftOut).toBe(1);
  });

  test('without a match stands after all that matched, in catalogue order', () => {
    expect(namesOf(RANKED, ['y', 'x', 'e'], 5)).toEqual(['a', 'b', 'e', 'y', 'x']);
  });
});

describe('more names to keep than there is room for', () => {
  test('those in best rank have it, and the rest are counted', () => {
    const choice = chooseTools(RANKED, ['x', 'f', 'd', 'y', 'b'], 3);
    expect(choice.chosen.map((tool) => tool.name)).toEqual(['a', 'b', 'd']);
    expect(choice.keptLeftOut).toBe(3);
  });

  test('those with a match come before those without', () => {
    const choice = chooseTools(RANKED, ['x', 'y', 'f'], 3);
    expect(choice.chosen.map((tool) => tool.name)).toEqual(['a', 'f', 'x']);
    expect(choice.keptLeftOut).toBe(1);
  });
});

describe('when nothing matched', () => {
  test('the answer is empty and says so', () => {
    expect(chooseTools([], [], 5)).toEqual({ chosen: [], noMatch: true, keptLeftOut: 0 });
  });

  test('only names to keep are in it, without a score', () => {
    expect(chooseTools([], ['x', 'y'], 5)).toEqual({
      chosen: [
        { name: 'x', score: 0, matchedOn: [] },
        { name: 'y', score: 0, matchedOn: [] },
      ],
      noMatch: true,
      keptLeftOut: 0,
    });
  });

  test('names to keep fill every slot, the first included', () => {
    expect(namesOf([], ['x', 'y', 'z'], 2)).toEqual(['x', 'y']);
    expect(chooseTools([], ['x', 'y', 'z'], 2).keptLeftOut).toBe(1);
  });
});

test('a name of several tools appears once, at its best rank, and top_k counts distinct names', () => {
  const ranked = [match('a', 9), match('b', 8), match('a', 7), match('b', 6), match('c', 5)];
  expect(namesOf(ranked, [], 3)).toEqual(['a', 'b', 'c']);
  expect(namesOf(ranked, ['c'], 2)).toEqual(['a', 'c']);
});

describe('relevance', () => {
  const scoresOf = (...args: Parameters<typeof chooseTools>) =>
    chooseTools(...args).chosen.map((tool) => tool.score);

  test('is 1 for the first match and a share of it for the others', () => {
    expect(scoresOf(RANKED, [], 3)).toEqual([1, 0.8, 0.6]);
  });

  test('is 0 for a kept name without a match', () => {
    expect(scoresOf(RANKED, ['x'], 2)).toEqual([1, 0]);
  });

  test('never rises down the list, even where a lower rank has a higher score', () => {
    expect(scoresOf([match('exact', 5), match('a', 5), match('b', 9), match('c', 1)], [], 4)).toEqual([
      1, 1, 1, 0.2,
    ]);
  });
});

test('the best match is always in, whatever is kept and however small the answer', () => {
  for (let topK = 1; topK <= 7; topK += 1) {
    for (const keep of [[], ['f'], ['x', 'y'], ['f', 'e', 'd', 'c', 'b', 'x', 'y']]) {
      expect(namesOf(RANKED, keep, topK)[0]).toBe('a');
    }
  }
});
