import { describe, expect, test } from 'vitest';
import { play, readStream, streamOf } from './exchange.ts';

/** Undocumented parts of the provider's streams, seen in recorded responses. */

const SEARCH = 'gateway_search_tools';

const stream = (...events: readonly { readonly type: string }[]) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');

const message = (more: object) => ({
  id: 'msg_01Start',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-6',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 1 },
  ...more,
});

describe('a message that is complete in its start, as after a result of a program', () => {
  const call = {
    type: 'tool_use',
    id: 'toolu_01Roll',
    name: 'roll_die',
    input: { player: 'one' },
    caller: { type: 'code_execution_20250825', tool_id: 'srvtoolu_01' },
  };
  const whole = (block: object) =>
    stream(
      {
        type: 'message_start',
        message: message({
          content: [block],
          stop_reason: 'tool_use',
          container: { id: 'container_1' },
          usage: { input_tokens: 10, output_tokens: 7 },
        }),
      } as { type: string },
      { type: 'message_stop' },
    );

  test('is passed on unchanged, and its calls are known', () => {
    const { sent, ends } = play(whole(call));
    expect(sent).toBe(whole(call));
    expect(ends).toMatchObject([
      {
        kind: 'finished',
        stopReason: 'tool_use',
        turn: { realCalls: [{ id: 'toolu_01Roll', name: 'roll_die' }], state: 'container_1' },
      },
    ]);
  });

  test('is not lost when it is a later round', () => {
    const { sent, ends } = play(streamOf('thinking-search'), whole(call));
    const events = readStream(sent);
    const first = readStream(streamOf('thinking-search')).filter(
      ({ type }) => type === 'content_block_start',
    );
    const visible = first.length - 1;
    expect(events.filter(({ type }) => type === 'content_block_start').at(-1)).toMatchObject({
      index: visible,
      content_block: { type: 'tool_use', id: 'toolu_01Roll', name: 'roll_die' },
    });
    expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'message_delta')).toMatchObject([
      { delta: { stop_reason: 'tool_use' } },
    ]);
    expect(events.at(-1)!.type).toBe('message_stop');
    expect(ends.at(-1)).toMatchObject({ turn: { realCalls: [{ id: 'toolu_01Roll' }] } });
  });

  test('hides its search', () => {
    const search = { type: 'tool_use', id: 'toolu_01S', name: SEARCH, input: { query: 'dice' } };
    const { sent, ends } = play(whole(search), streamOf('text'));
    expect(ends[0]).toMatchObject({ kind: 'searching', turn: { searches: [{ queries: ['dice'] }] } });
    expect(sent).not.toContain(SEARCH);
    expect(readStream(sent)[0]).toMatchObject({
      type: 'message_start',
      message: { id: 'msg_01Start', content: [] },
    });
  });
});

test('a call of a program with its whole input in its start is passed on unchanged', () => {
  const block = (more: object) => ({ ...more, id: 'toolu_01P', name: 'roll_die', input: { player: 'one' } });
  const of = (content: object) =>
    stream(
      { type: 'message_start', message: message({}) } as { type: string },
      { type: 'content_block_start', index: 0, content_block: content } as { type: string },
      { type: 'content_block_stop', index: 0 } as { type: string },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } } as {
        type: string;
      },
      { type: 'message_stop' },
    );
  const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_01' };
  for (const content of [block({ type: 'tool_use', caller }), block({ type: 'server_tool_use' })]) {
    expect(play(of(content)).sent).toBe(of(content));
  }
  // The direct call of such a server is repaired, because a client library reads arguments only from deltas.
  expect(play(of(block({ type: 'tool_use' }))).sent).toContain('input_json_delta');
});

test('cache counts of the start are not repeated at the end, where they are out of date', () => {
  const { sent } = play(streamOf('thinking-search'), streamOf('text'));
  const [delta] = readStream(sent).filter(({ type }) => type === 'message_delta');
  expect(sent).toContain('cache_creation');
  expect(delta!.usage).not.toHaveProperty('cache_creation');
});

test('blocks keep their indexes while nothing is hidden', () => {
  const text = { type: 'text', text: '' };
  const odd = stream(
    { type: 'message_start', message: message({}) } as { type: string },
    { type: 'content_block_start', index: 3, content_block: text } as { type: string },
    { type: 'content_block_stop', index: 3 } as { type: string },
    { type: 'content_block_start', index: 0, content_block: text } as { type: string },
    { type: 'content_block_stop', index: 0 } as { type: string },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } } as {
      type: string;
    },
    { type: 'message_stop' },
  );
  expect(play(odd).sent).toBe(odd);
});

test('a null after the text of a compaction leaves the text', () => {
  const delta = (content: string | null) =>
    ({ type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content } }) as {
      type: string;
    };
  const { ends } = play(
    stream(
      { type: 'message_start', message: message({}) } as { type: string },
      { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: null } } as {
        type: string;
      },
      delta('A summary.'),
      delta(null),
      { type: 'content_block_stop', index: 0 } as { type: string },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } } as { type: string },
      { type: 'message_stop' },
    ),
  );
  const [end] = ends;
  expect(end!.kind === 'finished' && JSON.parse(end!.turn.message).content).toEqual([
    { type: 'compaction', content: 'A summary.' },
  ]);
});
