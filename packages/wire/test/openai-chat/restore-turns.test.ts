import { describe, expect, test } from 'vitest';
import type { HiddenTurn } from '../../src/format/view.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf, viewOf } from '../run-exchange.ts';
import { calls, chunk, search, stop, streamChunks } from './chat-exchange.ts';

const question = { role: 'user', content: 'Weather?' };
const call = (id = 'a') =>
  calls({ index: 0, id, type: 'function', function: { name: 'one', arguments: '{"x":1}' } });
const written = { id: 'a', type: 'function', function: { name: 'one', arguments: '{"x":1}' } };

function hide(rounds: readonly (readonly object[])[], messages: readonly object[] = [question]): HiddenTurn {
  const view = viewOf(openaiChat, JSON.stringify({ messages }));
  return openaiChat.remembering.hideTurn(view, streamChunks(rounds).rounds)!;
}

function putBack(
  hiddenTurns: readonly HiddenTurn[],
  messages: string,
): { role: string; [field: string]: unknown }[] {
  const view = viewOf(openaiChat, `{"messages":${messages}}`);
  const plan = { ...planOf([]), searchTool: undefined };
  return JSON.parse(
    new TextDecoder().decode(openaiChat.editing.editRequest(view, plan, { hiddenTurns, rounds: [] })),
  ).messages;
}

const thinking = (text: string) => chunk({ role: 'assistant', reasoning_content: text });

test('puts a search back next to a call of the same id', () => {
  const found = { name: SEARCH, arguments: '{"query":"x"}' };
  const asked = calls({ index: 0, id: 'a', type: 'function', function: found });
  const real = calls({ index: 1, id: 'a', type: 'function', function: written.function });
  const hidden = hide([[asked, real, stop()]]);
  const copy = { role: 'assistant', content: null, tool_calls: [written] };
  const [, restored] = putBack([hidden], JSON.stringify([question, copy]));
  expect(restored!.tool_calls).toEqual([{ id: 'a', type: 'function', function: found }, written]);
});

describe('the visible part of a hidden turn', () => {
  const hidden = hide([
    [thinking('Search. '), chunk({ content: 'Looking. ' }), search(), stop()],
    [thinking('Call.'), chunk({ content: 'Asking.' }), call(), stop()],
  ]);
  const copy = { role: 'assistant', content: 'Looking. Asking.', tool_calls: [written] };

  test('is parted into what was said before and after the search', () => {
    const [, first, result, second] = putBack([hidden], JSON.stringify([question, copy]));
    expect(first).toMatchObject({ role: 'assistant', content: 'Looking. ', reasoning_content: 'Search. ' });
    expect(result).toMatchObject({ role: 'tool', tool_call_id: 'call_s' });
    expect(second).toEqual({ role: 'assistant', content: 'Asking.', tool_calls: [written] });
  });

  test('gives up reasoning that the client sends back joined', () => {
    const echoed = { ...copy, reasoning_content: 'Search. Call.' };
    expect(putBack([hidden], JSON.stringify([question, echoed])).at(-1)).toMatchObject({
      reasoning_content: 'Call.',
    });
    const once = hide([
      [thinking('Search.'), search(), stop()],
      [call(), stop()],
    ]);
    const kept = { role: 'assistant', reasoning_content: 'Search.', content: null, tool_calls: [written] };
    // DeepSeek demands the field next to calls.
    expect(putBack([once], JSON.stringify([question, kept])).at(-1)).toHaveProperty('reasoning_content');
  });

  test('keeps what the client added', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const added = { ...copy, name: 'ada', content: [{ type: 'text', text: 'Looking. Asking.', ...mark }] };
    expect(putBack([hidden], JSON.stringify([question, added])).at(-1)).toEqual({
      role: 'assistant',
      name: 'ada',
      content: [{ type: 'text', text: 'Asking.', ...mark }],
      tool_calls: [written],
    });
  });

  test('is known again however the client writes it', () => {
    const spaced =
      '[{"role":"user","content":"Weather?"}, {"tool_calls" : [{"function":{"arguments":"{ \\"x\\": 1.0 }","name":"one"},"id":"a","type":"function"}],"content":[{"type":"text","text":"Looking. "},{"type":"text","text":"Asking."}],"role":"assistant"}]';
    const messages = putBack([hidden], spaced);
    expect(messages).toHaveLength(4);
    expect(messages[3]).toMatchObject({
      content: 'Asking.',
      tool_calls: [{ function: { arguments: '{ "x": 1.0 }' } }],
    });
  });

  test.each([
    ['text', { ...copy, content: 'Looking. Asking?' }],
    ['arguments', { ...copy, tool_calls: [{ ...written, function: { name: 'one', arguments: '{"x":2}' } }] }],
    ['calls', { ...copy, tool_calls: [written, { ...written, id: 'b' }] }],
    ['name', { ...copy, tool_calls: [{ ...written, function: { name: 'two', arguments: '{"x":1}' } }] }],
  ])('is left alone when its %s changed', (_, changed) => {
    expect(putBack([hidden], JSON.stringify([question, changed]))).toEqual([question, changed]);
  });
});

describe('searches next to calls', () => {
  test('come back at their place, their results in front of the others', () => {
    const hidden = hide([[call('a'), search2(1), third(2), stop()]]);
    const copies = [written, { ...written, id: 'c' }];
    const results = copies.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'Done.' }));
    const messages = [question, { role: 'assistant', content: null, tool_calls: copies }, ...results];
    const back = putBack([hidden], JSON.stringify(messages));
    expect((back[1]!.tool_calls as { id: string }[]).map(({ id }) => id)).toEqual(['a', 'call_s', 'c']);
    expect(back.slice(2).map(({ tool_call_id }) => tool_call_id)).toEqual(['call_s', 'a', 'c']);
  });

  test('leave the real calls as the client writes them', () => {
    const hidden = hide([[call('a'), search2(1), stop()]]);
    const copied = {
      function: { arguments: '{ "x": 1 }', name: 'one' },
      id: 'a',
      type: 'function',
      index: 0,
    };
    const back = putBack([hidden], JSON.stringify([question, { role: 'assistant', tool_calls: [copied] }]));
    expect(back[1]!.tool_calls).toMatchObject([copied, { id: 'call_s' }]);
  });

  function search2(index: number): object {
    return calls({
      index,
      id: 'call_s',
      type: 'function',
      function: { name: SEARCH, arguments: '{"query":"x"}' },
    });
  }

  function third(index: number): object {
    return calls({ index, id: 'c', type: 'function', function: { name: 'one', arguments: '{"x":1}' } });
  }
});

describe('turns without calls', () => {
  const rounds = [
    [search(), stop()],
    [chunk({ content: 'Done.' }), stop('stop')],
  ];
  const done = { role: 'assistant', content: 'Done.' };

  test('are distinguished by their place when they read alike', () => {
    const before = [question, done, question];
    const hidden = hide(rounds, before);
    const messages = putBack([hidden], JSON.stringify([...before, done, question]));
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ]);
  });

  test('are put back for any number of turns', () => {
    const hidden = [hide(rounds), hide(rounds, [question, done, question])];
    const messages = putBack(hidden, JSON.stringify([question, done, question, done, question]));
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
  });

  test('of other formats are left to them', () => {
    const hidden = { ...hide(rounds), format: 'another' };
    expect(putBack([hidden], JSON.stringify([question, done]))).toEqual([question, done]);
  });
});

test.each([null, ''])(
  'a search that the length limit cut off leaves no message without content (%o)',
  (content) => {
    const hidden = hide([
      [search(), stop()],
      [search(), stop('length')],
    ]);
    const messages = [question, { role: 'assistant', content }, { role: 'user', content: 'Go on.' }];
    const sent = putBack([hidden], JSON.stringify(messages));
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(sent[1]).toHaveProperty('tool_calls');
  },
);
