import { describe, expect, test } from 'vitest';
import { BodyBytes } from '../../src/json/body-bytes.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { planOf, viewOf } from '../run-exchange.ts';

const view = (members: object) => viewOf(openaiChat, JSON.stringify({ messages: [], ...members }));
const tool = (name: string) => ({ type: 'function', function: { name, description: 'Does.' } });

describe('tools', () => {
  test.each([
    ['a custom tool', { type: 'custom', custom: { name: 'x' } }, 'x'],
    ['a type of a compatible server', { type: 'web_search', name: 'x' }, undefined],
    ['a function without a type', { function: { name: 'x' } }, 'x'],
    ['a function without a name', { type: 'function', function: {} }, undefined],
    ['a type without a function', { type: 'function' }, undefined],
    ['no object', 'x', undefined],
    ['null', null, undefined],
  ])('never takes for a function: %s', (_, definition, name) => {
    expect(view({ tools: [definition] }).tools).toMatchObject([{ kind: 'other', name }]);
  });

  test('reads cache marks, on the entry or in the function', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const marked = [
      { ...tool('a'), ...mark },
      { type: 'function', function: { name: 'b', ...mark } },
      { ...tool('c'), cache_control: null },
    ];
    expect(view({ tools: marked }).tools.map(({ isCacheMarked }) => isCacheMarked)).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('tool choice', () => {
  test.each([
    [undefined, { mode: 'auto', names: [] }],
    ['auto', { mode: 'auto', names: [] }],
    ['none', { mode: 'none', names: [] }],
    ['required', { mode: 'required', names: [] }],
    [
      { type: 'function', function: { name: 'a' } },
      { mode: 'required', names: ['a'] },
    ],
    [
      { type: 'custom', custom: { name: 'a' } },
      { mode: 'required', names: ['a'] },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('a'), tool('b')] } },
      { mode: 'required', names: ['a', 'b'] },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('a')] } },
      { mode: 'auto', names: ['a'] },
    ],
    [{ type: 'new_kind' }, { mode: 'auto', names: [] }],
  ])('reads %j', (choice, wanted) => {
    expect(view({ tool_choice: choice }).toolChoice).toEqual(wanted);
  });
});

describe('bypass', () => {
  const tools = [tool('a'), tool('b')];
  test.each([
    ['legacy_functions', { functions: [{ name: 'a' }], tools }],
    ['several_choices', { n: 2, tools }],
    ['client_defers', { tools: [...tools, { ...tool('c'), defer_loading: true }] }],
    ['client_defers', { tools: [{ type: 'function', function: { name: 'c', defer_loading: true } }] }],
    ['assistant_prefill', { tools, messages: [{ role: 'assistant', content: 'Once' }] }],
    ['no_function_tools', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    ['no_function_tools', { tools: null }],
    ['no_function_tools', {}],
  ])('is due to %s', (reason, members) => {
    expect(view(members).bypass).toBe(reason);
  });

  test.each([
    { tools, n: 1 },
    { tools, functions: null },
    { tools, tool_choice: 'none' },
  ])('is not due to %j', (members) => {
    expect(view(members).bypass).toBeUndefined();
  });
});

describe('history', () => {
  test('takes the query from parts of text, and skips messages without text', () => {
    const image = { type: 'image_url', image_url: { url: 'data:,' } };
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'What is ' }, image, { type: 'text', text: 'this?' }] },
      { role: 'user', content: [image] },
    ];
    expect(view({ messages })).toMatchObject({ query: 'What is this?', firstUserText: 'What is this?' });
  });

  test('lists a tool as latest by its latest result', () => {
    const call = (id: string, name: string) => ({
      role: 'assistant',
      tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
    });
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '' });
    const messages = [
      call('1', 'a'),
      result('1'),
      call('2', 'b'),
      result('2'),
      call('3', 'a'),
      result('3'),
      call('4', 'c'),
    ];
    const { calledNames, resultNames } = view({ messages });
    expect([...calledNames]).toEqual(['a', 'b', 'c']);
    expect(resultNames).toEqual(['b', 'a']);
  });

  test('survives messages that are none', () => {
    const messages = [null, 1, 'x', [], {}, { role: 'assistant', tool_calls: [null, {}] }, { role: 'user' }];
    expect(view({ messages, tools: [tool('a')] })).toMatchObject({
      query: '',
      turns: [{ position: 5, callIds: [] }],
    });
  });

  test('reads what the client says about its conversation', () => {
    expect(view({ prompt_cache_key: 'k', session_id: 's', user: 'u' }).sessionHints).toEqual([
      { source: 'prompt_cache_key', value: 'k' },
      { source: 'session_id', value: 's' },
    ]);
  });
});

describe('usage of a stream', () => {
  const edited = (members: object) =>
    JSON.parse(
      new TextDecoder().decode(
        openaiChat.editing.editRequest(view({ tools: [tool('a')], ...members }), planOf(['a']), {
          hiddenTurns: [],
          rounds: [],
        }),
      ),
    ).stream_options;

  test.each([
    [{ stream: true }, { include_usage: true }],
    [{ stream: true, stream_options: null }, { include_usage: true }],
    [
      { stream: true, stream_options: { include_obfuscation: false } },
      { include_obfuscation: false, include_usage: true },
    ],
    [{ stream: true, stream_options: { include_usage: false } }, { include_usage: true }],
    [{ stream: true, stream_options: { include_usage: true } }, { include_usage: true }],
    [{ stream: false }, undefined],
    [{}, undefined],
  ])('is asked for: %j', (members, wanted) => {
    expect(edited(members)).toEqual(wanted);
  });

  test('is asked for in the last round too, which has no search tool any more', () => {
    const request = view({ tools: [tool('a')], stream: true });
    const round = { turn: { message: '{"role":"assistant"}', realCalls: [], searches: [] }, results: [] };
    const plan = { ...planOf([]), searchTool: undefined };
    const bytes = openaiChat.editing.editRequest(request, plan, { hiddenTurns: [], rounds: [round] });
    expect(JSON.parse(new TextDecoder().decode(bytes)).stream_options).toEqual({ include_usage: true });
  });
});

test.each([
  ['{"messages":[]}', '/openai/deployments/my-gpt/chat/completions', 'my-gpt'],
  ['{"messages":[],"model":"gpt-5"}', '/openai/deployments/my-gpt/chat/completions', 'gpt-5'],
  ['{"messages":[]}', '/v1/chat/completions', undefined],
])(
  'takes the deployment in a path of Azure for the model of a body without one: %s at %s',
  (body, path, model) => {
    const options = { purpose: 'answer', searchToolName: 's', path, query: '' } as const;
    const reading = openaiChat.reading.readRequest(new BodyBytes([Buffer.from(body)]), options);
    expect(reading.ok && reading.view.model).toBe(model);
  },
);
