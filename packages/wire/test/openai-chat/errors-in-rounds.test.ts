import { describe, expect, test } from 'vitest';
import { chunk, search, stop, streamChunks } from './chat-exchange.ts';

const role = chunk({ role: 'assistant', content: '' });
const empty = { id: 'c', object: 'chat.completion.chunk' };

/** Errors in chunks, in streams that began with status 200. */
const ERRORS: readonly object[] = [
  { ...empty, error: { code: 502, message: 'Provider disconnected' }, choices: [] },
  {
    ...empty,
    error: { code: 502, message: 'Gone' },
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  },
  {
    ...empty,
    error: { message: 'Gone' },
    choices: [{ index: 0, delta: { role: 'assistant', content: null } }],
  },
  { ...empty, error: 'Gone', choices: [] },
  { ...empty, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] },
  {
    ...empty,
    choices: [
      { index: 0, delta: { content: '' }, finish_reason: null, error: { code: 502, message: 'Gone' } },
    ],
  },
];

describe('an error within a stream', () => {
  test.each(ERRORS.map((error) => [JSON.stringify(error), error] as const))(
    'in a hidden round reaches the client as it came: %s',
    (text, error) => {
      const { ends, text: sent } = streamChunks([
        [chunk({ content: 'Let me look.' }), search(), stop()],
        [role, error, '[DONE]'],
      ]);
      expect(ends.map(({ kind }) => kind)).toEqual(['searching', 'failed']);
      expect(ends[1]).toMatchObject({ reason: 'upstream_error' });
      expect(sent).toContain(text);
    },
  );

  test('of a server with an empty error in every chunk is none', () => {
    const fine = { ...chunk({ content: 'Hi.' }), error: null };
    const { ends } = streamChunks([
      [fine, { ...chunk({}), error: {} }, { ...chunk({}), error: '' }, stop('stop')],
    ]);
    expect(ends).toMatchObject([{ kind: 'finished' }]);
  });

  test('is none where a chunk has content, or usage', () => {
    const { ends } = streamChunks([
      [{ ...chunk({ content: 'Hi.' }), error: { message: 'a warning' } }, stop('stop')],
    ]);
    expect(ends).toMatchObject([{ kind: 'finished' }]);
  });
});

describe('a round without content, call and stop reason', () => {
  const searching = [chunk({ content: 'Let me look.' }), search(), stop()];

  test.each([
    ['an end marker', [role, '[DONE]']],
    ['an end marker alone', ['[DONE]']],
    ['usage', [role, { ...empty, choices: [], usage: { prompt_tokens: 1, completion_tokens: 0 } }, '[DONE]']],
  ])('is not complete, whatever ends it: %s', (_, round) => {
    const { ends } = streamChunks([searching, round]);
    expect(ends).toMatchObject([{ kind: 'searching' }, { kind: 'failed', reason: 'truncated' }]);
  });

  test('is unreadable as the first, so that the original request is sent', () => {
    expect(streamChunks([[role, '[DONE]']]).ends).toMatchObject([
      { kind: 'failed', reason: 'malformed_answer' },
    ]);
  });

  test('is complete with content and an end marker, or with a stop reason alone', () => {
    expect(streamChunks([searching, [chunk({ content: 'Hi.' }), '[DONE]']]).ends).toMatchObject([
      {},
      { kind: 'finished' },
    ]);
    expect(streamChunks([searching, [role, stop('stop')]]).ends).toMatchObject([{}, { kind: 'finished' }]);
  });
});
