import { expect, test } from 'vitest';
import { climbsOut } from '../src/upstream/choose-upstream.ts';

test.each([
  '/../secret',
  '/v1/../../team-b/secret',
  '/v1/%2e%2e/%2E./secret',
  '/v1/..%2f..%2fsecret',
  '/v1/..\\..\\secret',
  '/v1/..%5c../secret',
  '/v1/%252e%252e/%252e%252e/secret',
  '/v1/%25252e%25252e/../x',
  '/v1/..;a=b/../secret',
  '/..',
  '/v1//../../secret',
])('%s leads above its root', (path) => {
  expect(climbsOut(path)).toBe(true);
});

test.each([
  '/',
  '/v1/models',
  '/v1/models/../files',
  '/v1/./models',
  '/v1/files/a..b',
  '/v1/files/..a',
  '/v1/files/...',
  '/v1/files/100%25',
  '/v1/files/a%2Fb',
  '/v1/models/ft:gpt-4o:org::id',
])('%s does not', (path) => {
  expect(climbsOut(path)).toBe(false);
});
