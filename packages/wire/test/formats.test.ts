import { expect, test } from 'vitest';
import { FORMATS, matchRoute } from '../src/index.ts';

test('every format has a name of its own, and can swap', () => {
  expect(new Set(FORMATS.map(({ name }) => name)).size).toBe(FORMATS.length);
  for (const format of FORMATS) expect(format.loading.modes).toContain('swap');
});

test.each([
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/openai/v1/chat/completions',
  '/openai/deployments/d/chat/completions',
  '/models/chat/completions',
  '/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict',
])('one format alone handles %s', (path) => {
  expect(FORMATS.filter((format) => matchRoute(format.reading, 'POST', path) !== undefined)).toHaveLength(1);
});
