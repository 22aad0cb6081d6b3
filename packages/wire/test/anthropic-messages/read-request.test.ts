import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { BodyBytes } from '../../src/json/body-bytes.ts';
import { viewOf } from './exchange.ts';

const tool = (name: string, more: object = {}) => ({ name, input_schema: { type: 'object' }, ...more });
const request = (more: object = {}) => ({
  model: 'claude-opus-4-6',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'Hello?' }],
  tools: [tool('mail_send'), tool('mail_read')],
  ...more,
});
const call = (id: string, name: string, more: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input: {},
  ...more,
});
const result = (id: string, content: unknown = 'done') => ({ type: 'tool_result', tool_use_id: id, content });

describe('tools', () => {
  test.each([
    ['no type', {}],
    ['a null type', { type: null }],
    ['the type custom', { type: 'custom' }],
    ['fields of its own', { strict: true, eager_input_streaming: true, input_examples: [{}] }],
    ['the model as its only caller', { allowed_callers: ['direct'] }],
  ])('is a plain function with %s', (_, more) => {
    expect(viewOf(request({ tools: [tool('f', more)] })).tools).toMatchObject([
      { name: 'f', kind: 'function' },
    ]);
  });

  test.each([
    ['a tool of the vendor', { type: 'bash_20250124', name: 'bash' }],
    ['a server tool', { type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
    ['a toolset without a name', { type: 'browser_toolset_20260801' }],
    ['a connector', { type: 'mcp_toolset', mcp_server_name: 'mail' }],
    ['a type of a later year', tool('f', { type: 'hologram_20300101' })],
    ['a tool for programs, too', tool('f', { allowed_callers: ['code_execution_20260120', 'direct'] })],
    ['a tool for programs only', tool('f', { allowed_callers: ['code_execution_20260120'] })],
    ['a tool without a schema', { name: 'f' }],
    ['a tool without a name', { name: '', input_schema: { type: 'object' } }],
    ['no object at all', 'f'],
  ])('is not a plain function: %s', (_, entry) => {
    const view = viewOf(request({ tools: [tool('mail_send'), entry] }));
    expect(view.tools.map(({ kind }) => kind)).toEqual(['function', 'other']);
  });

  test('recognises a cache mark, but not null', () => {
    const tools = [
      tool('a', { cache_control: { type: 'ephemeral' } }),
      tool('b', { cache_control: null }),
      tool('c'),
    ];
    expect(viewOf(request({ tools })).tools.map(({ isCacheMarked }) => isCacheMarked)).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('finds every entry in the text, whatever surrounds it', () => {
    const text =
      '{"tools" : [ {"name":"a","input_schema":{}} ,\n{"name":"b","input_schema":{}}],"messages":[]}';
    const view = viewOf(text);
    expect(view.tools.map(({ text }) => text)).toEqual([
      '{"name":"a","input_schema":{}}',
      '{"name":"b","input_schema":{}}',
    ]);
  });
});

describe('the choice of a tool', () => {
  test.each([
    [undefined, { mode: 'auto', names: [] }],
    [
      { type: 'auto', disable_parallel_tool_use: true },
      { mode: 'auto', names: [] },
    ],
    [{ type: 'none' }, { mode: 'none', names: [] }],
    [{ type: 'any' }, { mode: 'required', names: [] }],
    [
      { type: 'tool', name: 'mail_send' },
      { mode: 'required', names: ['mail_send'] },
    ],
  ])('%j', (choice, expected) => {
    expect(viewOf(request({ tool_choice: choice })).toolChoice).toEqual(expected);
  });
});

describe('the history', () => {
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Read my' },
        { type: 'text', text: 'mail.' },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'Yes.' }, call('1', 'mail_read'), call('2', 'clock')],
    },
    { role: 'user', content: [result('2'), result('1')] },
    { role: 'assistant', content: [call('3', 'click', { toolset_name: 'browser' }), call('4', 'clock')] },
    { role: 'user', content: [result('3'), result('4')] },
    { role: 'system', content: 'It is late.' },
  ];
  const view = viewOf(request({ messages }));

  test('names the tools that were called, members of toolsets apart', () => {
    expect([...view.calledNames]).toEqual(['mail_read', 'clock']);
  });

  test('names the tools that have results, the latest last', () => {
    expect(view.resultNames).toEqual(['mail_read', 'clock']);
  });

  test('takes the query from the last user message that has text', () => {
    expect(view.query).toBe('Read my\nmail.');
    expect(view.firstUserText).toBe('Read my\nmail.');
  });

  test('finds the turns of the assistant', () => {
    expect(view.turns).toEqual([
      { position: 1, callIds: ['1', '2'] },
      { position: 3, callIds: ['3', '4'] },
    ]);
  });

  test('is read although its messages have unknown shapes', () => {
    const odd = viewOf(
      request({ messages: [null, 'hello', { role: 'user' }, { content: 7, role: 'assistant' }] }),
    );
    expect(odd).toMatchObject({ query: '', turns: [{ position: 3, callIds: [] }] });
  });
});

describe('the identity of a conversation', () => {
  test.each([
    ['user_1f_account__session_0a', [{ source: 'metadata.user_id', value: 'user_1f_account__session_0a' }]],
    ['{"session_id":"0a"}', [{ source: 'metadata.user_id', value: '{"session_id":"0a"}' }]],
    ['customer-17', []],
  ])('is in a user id that names a session: %s', (userId, hints) => {
    expect(viewOf(request({ metadata: { user_id: userId } })).sessionHints).toEqual(hints);
  });
});

describe('a bypass', () => {
  const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
  const withBlock = (block: object) => ({ messages: [{ role: 'user', content: [block] }] });
  const endsWith = (content: unknown) => ({
    messages: [
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content },
    ],
  });

  test.each<[string, object, string | undefined]>([
    ['no tools', { tools: undefined }, 'no_function_tools'],
    [
      'server tools alone',
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
      'no_function_tools',
    ],
    ['a search tool of the vendor', { tools: [tool('a'), search] }, 'client_defers'],
    ['a deferred tool', { tools: [tool('a'), tool('b', { defer_loading: true })] }, 'client_defers'],
    [
      'a toolset that defers',
      { tools: [tool('a'), { type: 'mcp_toolset', default_config: { defer_loading: true } }] },
      'client_defers',
    ],
    [
      'a toolset with a deferred member',
      { tools: [tool('a'), { type: 'mcp_toolset', configs: { read: { defer_loading: true } } }] },
      'client_defers',
    ],
    ['a tool that says it is not deferred', { tools: [tool('a', { defer_loading: false })] }, undefined],
    ['a tool added on the way', withBlock({ type: 'tool_addition', tool: tool('c') }), 'client_defers'],
    [
      'a reference to a tool',
      withBlock(result('1', [{ type: 'tool_reference', tool_name: 'a' }])),
      'client_defers',
    ],
    ['a tool of our name', { tools: [tool('gateway_search_tools')] }, 'name_collision'],
    ['a continued thread', { thread: { id: 'thread_1' } }, 'continued_thread'],
    ['a prefill', endsWith('The answer is ('), 'assistant_prefill'],
    ['a prefill in blocks', endsWith([{ type: 'text', text: 'The answer is (' }]), 'assistant_prefill'],
    [
      'a paused turn',
      endsWith([{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }]),
      undefined,
    ],
    ['a usual request', {}, undefined],
  ])('for %s', (_, more, reason) => {
    expect(viewOf(request(more)).bypass).toBe(reason);
  });
});

test.each([
  ['claude-opus-4-6:streamRawPredict', {}, 'claude-opus-4-6'],
  ['claude-sonnet-4-5@20250929:rawPredict', {}, 'claude-sonnet-4-5@20250929'],
  // The token counter has the model in its body, like the API itself.
  ['count-tokens:rawPredict', { model: 'claude-opus-4-6' }, 'claude-opus-4-6'],
  ['count-tokens:rawPredict', {}, undefined],
])('reads the model from a path of Vertex: %s with %o', (end, members, expected) => {
  const path = `/v1/projects/p/locations/l/publishers/anthropic/models/${end}`;
  const { model, ...body } = request();
  const bytes = new BodyBytes([Buffer.from(JSON.stringify({ ...body, ...members }))]);
  const options = { purpose: 'answer', searchToolName: 's', path, query: '' } as const;
  const reading = anthropicMessages.reading.readRequest(bytes, options);
  expect(reading.ok && reading.view.model).toBe(expected);
});
