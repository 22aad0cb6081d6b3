import { expect, test } from 'vitest';
import { PARTS, readParts } from '../../src/proxy/parts.ts';

test('measures everything unless parts are named', () => {
  expect([...readParts(undefined)]).toEqual([...PARTS]);
  expect([...readParts('api, passthrough')]).toEqual(['passthrough', 'api']);
});

test('names the parts that there are when one of them is misspelt', () => {
  expect(() => readParts('passthrough,serach')).toThrow(
    /there is no serach; the parts are passthrough, .*search/,
  );
});
