import { describe, expect, it } from 'vitest';
import { judgeResponse } from '../../src/selector/judge-response.ts';

const bounds = { known: new Set(['a', 'b', 'c', 'd']), limit: 3, alwaysKeep: ['d'] };

describe('judgeResponse', () => {
  it.each([
    ['a selection', { selected_names: ['b', 'a'] }, { ok: true, names: ['b', 'a'], isNoMatch: false }],
    [
      'unknown names between',
      { selected_names: ['x', 'b', 'y'] },
      { ok: true, names: ['b'], isNoMatch: false },
    ],
    [
      'repeated names',
      { selected_names: ['b', 'a', 'b'] },
      { ok: true, names: ['b', 'a'], isNoMatch: false },
    ],
    [
      'too many names',
      { selected_names: ['c', 'b', 'a', 'd'] },
      { ok: true, names: ['c', 'b', 'd'], isNoMatch: false },
    ],
    [
      'a weak selection with its unknown words, eight at most',
      { selected_names: ['a'], certainty: 'weak', unknown_words: Array(9).fill('x'.repeat(99)) },
      {
        ok: true,
        names: ['a'],
        isNoMatch: false,
        isWeak: true,
        unknownWords: Array(8).fill('x'.repeat(40)),
      },
    ],
    [
      'a certainty that it does not know, as found',
      { selected_names: ['a'], certainty: 'sure' },
      { ok: true, names: ['a'], isNoMatch: false },
    ],
    [
      'the results of several queries, in bounds',
      {
        selected_names: ['a'],
        by_pattern: [
          { selected_names: ['a', 'x', 'b', 'c', 'd'] },
          { selected_names: [], certainty: 'none', unknown_words: ['y'.repeat(99)] },
        ],
      },
      {
        ...{ ok: true, names: ['a'], isNoMatch: false },
        byQuery: [
          { certainty: 'found', names: ['a', 'b', 'c'], unknownWords: [] },
          { certainty: 'none', names: [], unknownWords: ['y'.repeat(40)] },
        ],
      },
    ],
    [
      'results of several queries that it does not know, as absent',
      { selected_names: ['a'], by_pattern: 'a' },
      { ok: true, names: ['a'], isNoMatch: false },
    ],
    ['no match', { selected_names: [], no_match: true }, { ok: true, names: [], isNoMatch: true }],
    [
      'no match but a kept name',
      { selected_names: ['d'], no_match: true },
      { ok: true, names: ['d'], isNoMatch: true },
    ],
    ['nothing', { selected_names: [] }, { ok: false, reason: 'empty_selection' }],
    ['only unknown names', { selected_names: ['x'] }, { ok: false, reason: 'unknown_selection_names' }],
    ['names that are not strings', { selected_names: [1] }, { ok: false, reason: 'api_error' }],
    ['a body without a list', { selected_names: 'a' }, { ok: false, reason: 'api_error' }],
    ['a body that is not an object', 'a', { ok: false, reason: 'api_error' }],
    ['a body that is not JSON', undefined, { ok: false, reason: 'api_error' }],
  ])('judges %s', (_, body, outcome) => {
    expect(judgeResponse(body, bounds)).toEqual(outcome);
  });

  it('never cuts names to keep, nor the best of the others', () => {
    const keepAll = { known: new Set(['a', 'b', 'c', 'd']), limit: 2, alwaysKeep: ['b', 'c', 'd'] };
    expect(judgeResponse({ selected_names: ['a', 'b', 'c', 'd'] }, keepAll)).toMatchObject({
      names: ['a', 'b', 'c', 'd'],
    });
  });
});
