import { describe, expect, test } from 'vitest';
import { editDistance } from '../../src/index.ts';

describe('edit distance', () => {
  test.each([
    ['repository', 'repository', 0],
    ['repositry', 'repository', 1],
    ['reqeust', 'request', 1],
    ['branhces', 'branches', 1],
    ['brnches', 'branchez', 2],
    ['alpha', 'omega', 3],
  ])('%s and %s are %i apart', (a, b, distance) => {
    expect(editDistance(a, b, 2)).toBe(distance);
    expect(editDistance(b, a, 2)).toBe(distance);
  });
});
