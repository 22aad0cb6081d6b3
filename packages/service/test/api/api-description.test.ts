import { expect, test } from 'vitest';
import { parameter } from '../../src/api/api-description.ts';

test('parameters of a path are required, others are not', () => {
  const required = (['path', 'query', 'header'] as const).map(
    (place) => parameter(place, 'id', 'Id.').required,
  );
  expect(required).toEqual([true, false, false]);
});
