import { expect, it } from 'vitest';
import { readMeaning } from '../../src/selector/judge-response.ts';

const KEYWORD = { search_type: 'keyword' };

it.each([
  ['meaning in full', { search_type: 'hybrid' }, { meaning: 'used' }],
  [
    'some vectors missing',
    { search_type: 'hybrid', degraded: true, degraded_reason: 'missing_vectors' },
    { meaning: 'degraded' },
  ],
  [
    'a reason that it does not know',
    { ...KEYWORD, degraded: true, degraded_reason: 'x' },
    { meaning: 'degraded' },
  ],
  ['no embedder', { ...KEYWORD, degraded: true, degraded_reason: 'no_embedder' }, {}],
  ['words alone', KEYWORD, {}],
  ['nothing', undefined, {}],
  ['another form', { search_type: 1 }, {}],
])('reads %s', (_, search_metadata, outcome) => {
  expect(readMeaning({ selected_names: [], search_metadata })).toEqual(outcome);
});
