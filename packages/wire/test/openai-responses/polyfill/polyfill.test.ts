import { describe, expect, test } from 'vitest';
import { polyfill } from '../../../src/openai-responses/polyfill/polyfill.ts';
import { fn, viewOf } from '../exchange.ts';

const SEARCH = {
  type: 'tool_search',
  execution: 'client',
  description: 'Finds tools of the servers.',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};
const GO = { role: 'user', content: 'Go.' };

function namespace(name: string, ...tools: readonly object[]) {
  return { type: 'namespace', name, description: `Tools of ${name}.`, tools };
}

function rewritten(
  request: Readonly<Record<string, unknown>>,
): Record<string, unknown> & { tools: { name: string }[] } {
  const { body } = polyfill(viewOf(request))!;
  return JSON.parse(Buffer.from(body).toString());
}

const namesIn = (request: Readonly<Record<string, unknown>>) =>
  rewritten(request).tools.map(({ name }) => name);

function searched(callId: string, ...tools: readonly object[]) {
  return [
    {
      type: 'tool_search_call',
      id: `tsc_${callId}`,
      call_id: callId,
      execution: 'client',
      status: 'completed',
      arguments: { query: 'x', limit: 3 },
    },
    { type: 'tool_search_output', call_id: callId, execution: 'client', status: 'completed', tools },
  ];
}

describe('a request of a client that defers, for a plain server', () => {
  test('is undefined without deferred tools', () => {
    expect(polyfill(viewOf({ tools: [fn('a'), { type: 'web_search' }] }))).toBeUndefined();
    expect(polyfill(viewOf({ tools: [fn('a')], input: 'text' }))).toBeUndefined();
    expect(polyfill(viewOf({}))).toBeUndefined();
  });

  test('has functions in place of namespaces and of the search, and everything else as it was', () => {
    const { tools } = rewritten({
      tools: [fn('a'), namespace('mail', fn('send'), fn('read')), SEARCH, { type: 'web_search' }],
    });
    expect(tools).toEqual([
      fn('a'),
      { ...fn('send'), name: 'mail__send' },
      { ...fn('read'), name: 'mail__read' },
      {
        type: 'function',
        name: 'tool_search',
        description: SEARCH.description,
        parameters: SEARCH.parameters,
        strict: false,
      },
      { type: 'web_search' },
    ]);
  });

  test('keeps the bytes of what it does not touch', () => {
    const view = viewOf({ tools: [namespace('a', fn('b'))], input: [GO], top_p: 1, more: { x: [1, 2] } });
    const { body } = polyfill(view)!;
    const text = Buffer.from(body).toString();
    const start = view.spans.tools!;
    expect(text.startsWith(view.text.slice(0, start.start))).toBe(true);
    expect(text.endsWith(view.text.slice(start.end))).toBe(true);
  });

  test('calls functions of equal names apart, within what a name may be', () => {
    const long = 'n'.repeat(60);
    const names = namesIn({
      tools: [
        fn('a__b'),
        namespace('a', fn('b')),
        namespace('a__', fn('c')),
        namespace(long, fn('first'), fn('second')),
        namespace('über', fn('x')),
      ],
    });
    expect(names[0]).toBe('a__b');
    expect(names[1]).toMatch(/^a__b_[\w-]{8}$/);
    expect(names[2]).toBe('a__c');
    expect(new Set(names).size).toBe(6);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test('gives the search another name where the client has a function of that name', () => {
    const [own, search] = namesIn({ tools: [fn('tool_search'), SEARCH] });
    expect(own).toBe('tool_search');
    expect(search).toMatch(/^tool_search_[\w-]{8}$/);
  });

  test('leaves deferred tools to a search that the client runs, and shows them where there is none', () => {
    const deferred = fn('late', { defer_loading: true });
    expect(namesIn({ tools: [fn('a'), deferred, SEARCH] })).toEqual(['a', 'tool_search']);
    expect(rewritten({ tools: [fn('a'), deferred, { type: 'tool_search' }] }).tools).toEqual([
      fn('a'),
      fn('late'),
    ]);
  });

  test('says searches as calls, and shows what they have loaded after the rest, each once', () => {
    const input = [
      GO,
      ...searched('call_1', namespace('mail', fn('send', { defer_loading: true })), fn('lone')),
      {
        type: 'function_call',
        id: 'fc_2',
        call_id: 'call_2',
        name: 'send',
        namespace: 'mail',
        arguments: '{"a":1.0}',
      },
      { type: 'function_call_output', call_id: 'call_2', output: 'done' },
      ...searched('call_3', fn('lone'), namespace('mail', fn('read'))),
      ...searched('call_4'),
    ];
    const { tools, input: items } = rewritten({ tools: [fn('a'), SEARCH], input });
    expect(tools.map(({ name }) => name)).toEqual(['a', 'tool_search', 'mail__send', 'lone', 'mail__read']);
    expect(tools[2]).toEqual({ ...fn('send'), name: 'mail__send' });
    expect((items as object[]).slice(0, 5)).toEqual([
      GO,
      {
        type: 'function_call',
        id: 'fc_call_1',
        call_id: 'call_1',
        name: 'tool_search',
        arguments: '{"query":"x","limit":3}',
        status: 'completed',
      },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: 'Loaded: mail__send, lone.',
        status: 'completed',
      },
      { type: 'function_call', id: 'fc_2', call_id: 'call_2', name: 'mail__send', arguments: '{"a":1.0}' },
      { type: 'function_call_output', call_id: 'call_2', output: 'done' },
    ]);
    expect(items).toHaveLength(9);
    expect((items as object[]).at(-1)).toMatchObject({ output: 'No tool matches.' });
  });

  test('gives equal bytes for equal requests, and keeps the tools of a shorter history in front', () => {
    const first = { tools: [SEARCH], input: [GO, ...searched('call_1', namespace('m', fn('x')))] };
    const second = {
      ...first,
      input: [...first.input, ...searched('call_2', namespace('m', fn('y')), fn('z'))],
    };
    expect(polyfill(viewOf(first))!.body).toEqual(polyfill(viewOf(first))!.body);
    expect(namesIn(second).slice(0, namesIn(first).length)).toEqual(namesIn(first));
  });

  test('declares what a history loads where the client declares nothing', () => {
    expect(namesIn({ input: [GO, ...searched('call_1', fn('x'))] })).toEqual(['x']);
  });

  test('takes what the provider has searched, and tools that the client adds, out of the history', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [fn('added')] },
      GO,
      { type: 'tool_search_call', call_id: null, execution: 'server', arguments: { paths: ['m'] } },
      { type: 'tool_search_output', call_id: null, execution: 'server', tools: [namespace('m', fn('x'))] },
      { type: 'function_call', call_id: 'c', name: 'added', namespace: 'added', arguments: '{}' },
    ];
    const { tools, input: items } = rewritten({ tools: [fn('a')], input });
    expect(tools.map(({ name }) => name)).toEqual(['a', 'added', 'm__x']);
    expect(items).toEqual([GO, { type: 'function_call', call_id: 'c', name: 'added', arguments: '{}' }]);
  });

  test.each<[string, unknown, unknown]>([
    ['the search', { type: 'tool_search' }, { type: 'function', name: 'tool_search' }],
    ['a qualified name', { type: 'function', name: 'x', namespace: 'm' }, { type: 'function', name: 'm__x' }],
    ['a name of one namespace', { type: 'function', name: 'x' }, { type: 'function', name: 'm__x' }],
    ['a function of its own', { type: 'function', name: 'a' }, { type: 'function', name: 'a' }],
    [
      'a namespace',
      { type: 'namespace', name: 'm' },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'm__x' },
          { type: 'function', name: 'm__y' },
        ],
      },
    ],
    [
      'a list',
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'namespace', name: 'm' },
          { type: 'function', name: 'a' },
        ],
      },
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'm__x' },
          { type: 'function', name: 'm__y' },
          { type: 'function', name: 'a' },
        ],
      },
    ],
    ['a mode', 'required', 'required'],
  ])('has a tool_choice of %s', (_, choice, expected) => {
    const tools = [fn('a'), namespace('m', fn('x'), fn('y')), SEARCH];
    expect(rewritten({ tools, tool_choice: choice }).tool_choice).toEqual(expected);
  });

  test.each<[string, Record<string, unknown>]>([
    [
      'entries that are none',
      { tools: [null, 7, 'x', [], SEARCH, { type: 'namespace', name: 'n', tools: 'no' }] },
    ],
    ['a namespace of odd tools', { tools: [namespace('n', null as never, { name: 7 }, fn('x')), SEARCH] }],
    ['items that are none', { tools: [SEARCH], input: [null, 7, [], { type: 'tool_search_output' }] }],
    [
      'a search without parameters',
      { tools: [{ type: 'tool_search', execution: 'client', description: 7 }] },
    ],
    ['an odd choice', { tools: [SEARCH], tool_choice: { type: 'allowed_tools', tools: 'x' } }],
    ['an input that is a text', { tools: [namespace('n', fn('x'))], input: 'Go.' }],
  ])('survives %s', (_, request) => {
    expect(() => rewritten(request)).not.toThrow();
  });
});
