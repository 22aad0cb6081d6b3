import { describe, expect, test } from 'vitest';
import type { Round } from '../../src/format/view.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf, viewOf } from '../run-exchange.ts';

const TOOLS = ['kept', 'mail_send', 'mail_list'].map((name) => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, parameters: { type: 'object' } },
}));
const user = (content: unknown) => ({ role: 'user', content });

function sent(messages: readonly object[], rounds: readonly Round[] = []) {
  const plan = planOf(['mail_send', 'mail_list'], ['mail_send'], 'bridge');
  if (plan.loadMode !== 'bridge') throw new Error('another mode');
  const view = viewOf(openaiChat, JSON.stringify({ model: 'm', tools: TOOLS, messages }));
  const bytes = openaiChat.editing.editRequest(
    view,
    { ...plan, preload: { names: ['mail_send'], form: 'text' } },
    { hiddenTurns: [], rounds },
  );
  return (JSON.parse(new TextDecoder().decode(bytes)) as { messages: { content: unknown }[] }).messages;
}

const BLOCK =
  /^Tools that may fit this request\. They are called with gateway_call_tool\.\n[\s\S]*"name":"mail_send"[\s\S]*<\/tool_definitions>$/;

describe('definitions of preloaded tools in bridge mode', () => {
  test('end the first message, which stays a string', () => {
    const [, first, second] = sent([
      { role: 'system', content: 'x' },
      user('Write “\u00fc”\n'),
      user('Send it.'),
    ]);
    expect(first!.content).toBe('Write “ü”\n');
    const [words, ...block] = (second!.content as string).split('\n\n');
    expect(words).toBe('Send it.');
    expect(block.join('\n\n')).toMatch(BLOCK);
  });

  test('are a part of their own behind images', () => {
    const parts = [
      { type: 'text', text: 'Send it.' },
      { type: 'image_url', image_url: { url: 'data:,' } },
    ];
    const [{ content }] = sent([user(parts)]) as [{ content: object[] }];
    expect(content.slice(0, 2)).toEqual(parts);
    expect(content[2]).toEqual({ type: 'text', text: expect.stringMatching(BLOCK) });
  });

  test('stay after the first message on later turns', () => {
    const first = sent([user('Send it.')]);
    const later = sent([user('Send it.'), { role: 'assistant', content: 'Done.' }, user('Thanks.')]);
    expect(later.slice(0, 1)).toEqual(first);
    expect(later[2]).toEqual(user('Thanks.'));
  });

  test('appear once in a request: a later result only names them', () => {
    const search = { id: 'call_1', type: 'function', function: { name: SEARCH, arguments: '{}' } };
    const message = JSON.stringify({ role: 'assistant', content: null, tool_calls: [search] });
    const turn = { message, realCalls: [], searches: [{ id: 'call_1', name: SEARCH, queries: ['mail'] }] };
    const tools = ['mail_send', 'mail_list'].map((name) => ({ name, description: '' }));
    const text = JSON.stringify(
      sent([user('Send it.')], [{ turn, results: [{ callId: 'call_1', kind: 'found', tools }] }]),
    );
    expect(text.split('Does mail_send.')).toHaveLength(2);
    expect(text.split('Does mail_list.')).toHaveLength(2);
    expect(text).toContain('mail_send');
  });
});

test('preloaded definitions get the cache breakpoint of the part before them', () => {
  const content = [{ type: 'text', text: 'Go.', prompt_cache_breakpoint: { mode: 'explicit' } }];
  const tools = ['a', 'b'].map((name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object' } },
  }));
  const view = viewOf(
    openaiChat,
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], tools }),
  );
  const plan = { ...planOf(['a'], [], 'bridge'), preload: { names: ['a'], form: 'text' } } as const;
  const bytes = openaiChat.editing.editRequest(view, plan, { hiddenTurns: [], rounds: [] });
  const [message] = JSON.parse(new TextDecoder().decode(bytes)).messages;
  expect(message.content).toEqual([
    content[0],
    {
      type: 'text',
      text: expect.stringContaining('"name":"a"'),
      prompt_cache_breakpoint: { mode: 'explicit' },
    },
  ]);
});
