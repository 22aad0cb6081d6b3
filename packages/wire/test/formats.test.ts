import { expect, test } from 'vitest';
import { FORMATS } from '../src/index.ts';

test('every format has a name of its own, and can swap', () => {
  expect(new Set(FORMATS.map(({ name }) => name)).size).toBe(FORMATS.length);
  for (const format of FORMATS) expect(format.loadModes('any-model')).toContain('swap');
});

test.each([
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/openai/v1/chat/completions',
])('one format alone handles %s', (path) => {
  expect(FORMATS.filter((format) => format.matchRoute('POST', path) !== undefined)).toHaveLength(1);
});

test.each([400, 401, 404, 413, 426, 429, 500, 502, 503])(
  'every format words an error with status %i',
  (status) => {
    for (const format of FORMATS) {
      expect(JSON.parse(format.errorBody({ status, message: 'No "such" upstream.' })).error).toMatchObject({
        message: 'No "such" upstream.',
        type: expect.stringMatching(/^[a-z_]+$/),
      });
    }
  },
);
