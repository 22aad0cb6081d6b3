import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../../src/anthropic-messages/anthropic-messages.ts';
import type { HostedSearches } from '../../../src/format/capabilities.ts';
import type { SearchResult } from '../../../src/format/view.ts';
import { BodyBytes } from '../../../src/json/body-bytes.ts';

const GO = { role: 'user', content: 'Go.' };
const REGEX = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
const tool = (name: string, more: object = {}) => ({
  ...{ name, description: `Does ${name}.`, input_schema: { type: 'object' } },
  ...more,
});
const deferred = (name: string) => tool(name, { defer_loading: true });
const TOOLS = [REGEX, tool('own'), deferred('a'), deferred('b'), deferred('c')];

function readView(request: object) {
  const body = { model: 'm', max_tokens: 9, messages: [GO], tools: TOOLS, ...request };
  const reading = anthropicMessages.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    ...{ purpose: 'answer', searchToolName: 'gateway_search_tools', path: '/v1/messages', query: '' },
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}

const searchesOf = (request: object) => anthropicMessages.capabilities.hostedSearches!(readView(request));

/** The first request of an exchange. */
function sent(request: object, results: readonly SearchResult[] = [], plan?: HostedSearches['plan']) {
  const view = readView(request);
  const searches = anthropicMessages.capabilities.hostedSearches!(view)!;
  const part = searches.answering(results);
  const body = part.editing.editRequest(view, plan ?? searches.plan, { hiddenTurns: [], rounds: [] });
  return JSON.parse(Buffer.from(body).toString()) as {
    tools: { name: string; cache_control?: object }[];
    messages: { role: string; content: unknown }[];
    tool_choice?: object;
    anthropic_beta?: string[];
  };
}

const call = (id: string, pattern = 'x') => ({
  ...{ type: 'server_tool_use', id: `srvtoolu_${id}`, name: REGEX.name, input: { pattern } },
  caller: { type: 'direct' },
});
const result = (id: string, ...names: string[]) => ({
  type: 'tool_search_tool_result',
  tool_use_id: `srvtoolu_${id}`,
  content: {
    type: 'tool_search_tool_search_result',
    tool_references: names.map((name) => ({ type: 'tool_reference', tool_name: name })),
  },
});
const use = (id: string, name = 'own') => ({ type: 'tool_use', id, name, input: {} });
const done = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'done' });
const text = (said: string) => ({ type: 'text', text: said });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const user = (...content: object[]) => ({ role: 'user', content });

/** Returns the content of each message: texts, and the ids of calls and results. */
const outline = (messages: readonly { role: string; content: unknown }[]) =>
  messages.map(({ role, content }) => [
    role[0],
    ...(typeof content === 'string' ? [content] : (content as Record<string, unknown>[])).map((block) =>
      typeof block === 'string' ? block : (block.text ?? block.id ?? `=${block.tool_use_id}`),
    ),
  ]);

describe('a request that leaves its searches to the vendor, for a plain server', () => {
  test('is undefined without such a search, now or in its history', () => {
    expect(searchesOf({ tools: [tool('own'), deferred('a')] })).toBeUndefined();
    expect(
      searchesOf({ tools: [tool('own')], messages: [GO, assistant(call('1'), result('1'))] }),
    ).toBeDefined();
  });

  test.each([
    ['a function of the same name', { tools: [...TOOLS, tool('tool_search_tool_regex')] }],
    [
      'a toolset that defers',
      { tools: [...TOOLS, { type: 'mcp_toolset', default_config: { defer_loading: true } }] },
    ],
    [
      'a deferred tool of the vendor',
      { tools: [...TOOLS, { type: 'memory_20250818', name: 'm', defer_loading: true }] },
    ],
    ['an unknown search', { tools: [...TOOLS, { type: 'tool_search_tool_meaning', name: 'x' }] }],
    ['a thread', { thread: { id: 'thread_1' } }],
    [
      'tools that the conversation adds',
      { messages: [GO, { role: 'system', content: [{ type: 'tool_addition' }] }] },
    ],
  ])('is undefined with %s', (_, request) => {
    expect(searchesOf(request)).toBeUndefined();
  });

  test('declares a function in place of the search, with its mark, and no deferred tool', () => {
    const marked = { ...REGEX, cache_control: { type: 'ephemeral' } };
    const { tools } = sent({
      tools: [marked, ...TOOLS.slice(1)],
      anthropic_beta: ['tool-search-tool-2025-10-19'],
    });
    expect(tools.map(({ name }) => name)).toEqual(['tool_search_tool_regex', 'own']);
    expect(tools[0]).toMatchObject({
      input_schema: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
      cache_control: { type: 'ephemeral' },
    });
    expect(searchesOf({})!.plan).toMatchObject({ defer: ['a', 'b', 'c'], load: [], offered: [REGEX.name] });
  });

  test('puts each search and its result in separate messages, and shows found tools in order', () => {
    const messages = [
      GO,
      assistant(
        text('Hm.'),
        call('1'),
        call('2'),
        result('1', 'c'),
        result('2'),
        text('So.'),
        use('u1', 'c'),
      ),
      user(done('u1')),
      assistant(call('3'), result('3', 'a', 'c', 'gone'), text('End.')),
      GO,
    ];
    const { messages: flat, tools } = sent({ messages });
    expect(outline(flat)).toEqual([
      ['u', 'Go.'],
      ['a', 'Hm.', 'toolu_1', 'toolu_2'],
      ['u', '=toolu_1', '=toolu_2'],
      ['a', 'So.', 'u1'],
      ['u', '=u1'],
      ['a', 'toolu_3'],
      ['u', '=toolu_3'],
      ['a', 'End.'],
      ['u', 'Go.'],
    ]);
    expect(tools.map(({ name }) => name)).toEqual([REGEX.name, 'own', 'c', 'a']);
    const [first, second] = flat[2]!.content as { content: string }[];
    expect(first!.content).toContain('- c: Does c.');
    expect(second!.content).toContain('No tool matches');
    expect(JSON.stringify(flat)).not.toMatch(/gone|server_tool_use|tool_search_tool_result/);
  });

  test("answers a search next to a call together with the client's results, although its own result came one message later", () => {
    const messages = [
      GO,
      assistant(use('u1'), call('1')),
      user(done('u1')),
      assistant(result('1', 'a'), text('So.')),
    ];
    expect(outline(sent({ messages }).messages)).toEqual([
      ['u', 'Go.'],
      ['a', 'u1', 'toolu_1'],
      ['u', '=toolu_1', '=u1'],
      ['a', 'So.'],
    ]);
    const same = [GO, assistant(use('u1'), call('1'), result('1', 'a'), text('So.')), user(done('u1'))];
    expect(outline(sent({ messages: same }).messages)).toEqual([
      ['u', 'Go.'],
      ['a', 'u1', 'toolu_1', 'So.'],
      ['u', '=toolu_1', '=u1'],
    ]);
  });

  test('answers searches that the last turn left open, next to a call or in a pause', () => {
    const results: SearchResult[] = [
      { callId: 'srvtoolu_1', kind: 'found', tools: [{ name: 'b', description: '' }] },
    ];
    const both = { messages: [GO, assistant(use('u1'), call('1')), user(done('u1'))] };
    expect(searchesOf(both)!.open).toEqual([
      { id: 'srvtoolu_1', name: REGEX.name, queries: ['x'], input: { pattern: 'x' } },
    ]);
    expect(outline(sent(both, results).messages).at(-1)).toEqual(['u', '=toolu_1', '=u1']);
    const answered = {
      messages: [GO, assistant(call('1'), result('1', 'b'), use('u1', 'b')), user(done('u1'))],
    };
    expect(searchesOf(answered)!.open).toEqual([]);
    const paused = { messages: [GO, assistant(call('1'))] };
    expect(outline(sent(paused, results).messages).slice(1)).toEqual([
      ['a', 'toolu_1'],
      ['u', '=toolu_1'],
    ]);
    const said = { messages: [GO, assistant(call('1')), { role: 'user', content: 'And?' }] };
    expect(outline(sent(said, results).messages).at(-1)).toEqual(['u', '=toolu_1', 'And?']);
  });

  test('answers a search without a result with an error', () => {
    const messages = [GO, assistant(call('1')), GO, assistant(text('Hm.')), GO];
    expect(searchesOf({ messages })!.open).toEqual([]);
    expect(sent({ messages }).messages[2]!.content).toMatchObject([{ is_error: true }, text('Go.')]);
  });

  test('reports an error as an error', () => {
    const error = {
      type: 'tool_search_tool_result_error',
      ...{ error_code: 'invalid_tool_input', error_message: 'Too long.' },
    };
    const messages = [GO, assistant(call('1'), { ...result('1'), content: error }), GO];
    expect(sent({ messages }).messages[2]!.content).toMatchObject([
      { content: 'Too long.', is_error: true },
      {},
    ]);
  });

  test('keeps a tool that a model called without a search', () => {
    const messages = [GO, assistant(use('u1', 'b')), user(done('u1'))];
    expect(searchesOf({ messages })!.plan.load).toEqual(['b']);
  });

  test('shows everything and no search where the model has searched often enough, and lets the model choose in later rounds', () => {
    const searches = searchesOf({})!;
    const all = sent({}, [], { ...searches.plan, defer: [], load: [], offered: undefined });
    expect(all.tools.map(({ name }) => name)).toEqual(['own', 'a', 'b', 'c']);
    const view = readView({ tool_choice: { type: 'tool', name: REGEX.name } });
    const forced = anthropicMessages.capabilities.hostedSearches!(view)!;
    const turn = { message: JSON.stringify(assistant(call('1'))), realCalls: [], searches: [] };
    const rounds = [{ turn, results: [{ callId: 'srvtoolu_1', kind: 'no_match' as const, tools: [] }] }];
    const bodies = [[], rounds].map((some) =>
      JSON.parse(
        Buffer.from(
          forced.answering([]).editing.editRequest(view, forced.plan, { hiddenTurns: [], rounds: some }),
        ).toString(),
      ),
    );
    expect(bodies.map(({ tool_choice: choice }) => choice.type)).toEqual(['tool', 'auto']);
    expect(outline(bodies[1].messages).slice(1)).toEqual([
      ['a', 'toolu_1'],
      ['u', '=toolu_1'],
    ]);
  });

  test('reads the query of a call', () => {
    const { queryOf, open } = searchesOf({
      messages: [
        GO,
        assistant({ ...call('1'), input: { pattern: 'a|b', limit: 1e9 } }, { ...call('2'), input: 7 }),
      ],
    })!;
    expect(open.map(queryOf)).toEqual([
      { kind: 'regex', text: 'a|b', mostChars: 200, limit: 50 },
      { kind: 'regex', text: '', mostChars: 200, limit: 5 },
    ]);
  });

  test.each<[string, unknown]>([
    ['messages that are none', [null, 7, { role: 'assistant', content: [null, 7, call('1')] }]],
    ['results of nothing', [GO, assistant(result('9', 'a')), user()]],
    [
      'results that are none',
      [GO, assistant(call('1'), { type: 'tool_search_tool_result' }), { role: 'user' }],
    ],
    ['calls without an id', [GO, assistant({ type: 'server_tool_use', name: REGEX.name })]],
  ])('survives %s', (_, messages) => {
    expect(() => sent({ messages })).not.toThrow();
  });
});
