import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../../src/anthropic-messages/anthropic-messages.ts';
import type { Polyfilled } from '../../../src/format/capabilities.ts';
import { BodyBytes } from '../../../src/json/body-bytes.ts';

const GO = { role: 'user', content: 'Go.' };

function tool(name: string, more: object = {}) {
  return { name, description: `Does ${name}.`, input_schema: { type: 'object' }, ...more };
}

const deferred = (name: string, more: object = {}) => tool(name, { defer_loading: true, ...more });

function polyfilled(request: object): Polyfilled | undefined {
  const body = { model: 'claude-opus-4-5', max_tokens: 10, messages: [GO], ...request };
  const reading = anthropicMessages.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    purpose: 'answer',
    searchToolName: 'gateway_search_tools',
    path: '/v1/messages',
    query: '',
  });
  if (!reading.ok) throw new Error(reading.reason);
  return anthropicMessages.capabilities.polyfill!(reading.view);
}

function rewritten(request: object): {
  tools: { name: string }[];
  messages: object[];
  anthropic_beta?: string[];
} {
  return JSON.parse(Buffer.from(polyfilled(request)!.body).toString());
}

const namesIn = (request: object) => rewritten(request).tools.map(({ name }) => name);

function search(id: string, ...content: readonly unknown[]) {
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'ToolSearch', input: { query: 'x' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content },
        { type: 'text', text: 'Tool loaded.' },
      ],
    },
  ];
}

const reference = (name: string) => ({ type: 'tool_reference', tool_name: name });

describe('a Messages request of a client that searches itself, for a plain server', () => {
  test('is undefined without deferred tools', () => {
    expect(polyfilled({ tools: [tool('a'), tool('ToolSearch')] })).toBeUndefined();
    expect(polyfilled({})).toBeUndefined();
  });

  test('leaves out deferred tools that are not loaded, and every mark', () => {
    const { tools } = rewritten({
      tools: [tool('a', { defer_loading: false }), deferred('b'), tool('ToolSearch')],
    });
    expect(tools).toEqual([tool('a'), tool('ToolSearch')]);
  });

  test('shows referenced tools after the rest, in order of first reference, and turns references into text', () => {
    const messages = [
      GO,
      ...search('toolu_1', reference('c'), { type: 'text', text: 'Two.' }, reference('b')),
      ...search('toolu_2', reference('b'), reference('d')),
    ];
    const request = {
      tools: [
        tool('a'),
        deferred('b', { cache_control: { type: 'ephemeral' } }),
        deferred('c'),
        deferred('d'),
        deferred('e'),
      ],
      messages,
    };
    expect(rewritten(request).tools).toEqual([tool('a'), tool('c'), tool('b'), tool('d')]);
    const results = rewritten(request).messages.filter((_, at) => at === 2 || at === 4);
    expect(results.map((message) => (message as { content: unknown[] }).content[0])).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: [
          { type: 'text', text: 'Loaded: c, b.' },
          { type: 'text', text: 'Two.' },
        ],
      },
      { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'Loaded: b, d.' }] },
    ]);
    // The tools of a longer history begin with those of a shorter one.
    const before = namesIn({ ...request, messages: messages.slice(0, 3) });
    expect(namesIn(request).slice(0, before.length)).toEqual(before);
  });

  test('shows a tool that the client forces', () => {
    expect(namesIn({ tools: [tool('a'), deferred('b')], tool_choice: { type: 'tool', name: 'b' } })).toEqual([
      'a',
      'b',
    ]);
  });

  test('shows all tools when none would remain', () => {
    expect(rewritten({ tools: [deferred('a')] }).tools).toEqual([tool('a')]);
  });

  test('leaves the betas of the feature out, in headers and in a body', () => {
    const request = {
      tools: [tool('a'), deferred('b')],
      anthropic_beta: ['x-1', 'tool-search-tool-2025-10-19'],
    };
    expect(rewritten(request).anthropic_beta).toEqual(['x-1']);
    expect(polyfilled(request)!.removedHeaders).toContainEqual({
      name: 'anthropic-beta',
      value: 'advanced-tool-use-2025-11-20',
    });
  });

  test('stays unchanged when the provider searches, or tools change in other ways', () => {
    const hosted = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' };
    expect(polyfilled({ tools: [deferred('a'), hosted] })).toBeUndefined();
    const later = { type: 'tool_search_tool_meaning_20270101', name: 'tool_search_tool_meaning' };
    expect(polyfilled({ tools: [deferred('a'), later] })).toBeUndefined();
    const added = { role: 'system', content: [{ type: 'tool_addition', tool: reference('b') }] };
    expect(polyfilled({ tools: [tool('a'), deferred('b')], messages: [GO, added] })).toBeUndefined();
  });

  test.each<[string, object]>([
    ['tools that are none', { tools: [null, 7, deferred('a'), tool('b')] }],
    [
      'references that are none',
      {
        tools: [tool('b')],
        messages: [GO, ...search('t', reference('b'), null, 7, { type: 'tool_reference' })],
      },
    ],
    [
      'messages that are none',
      {
        tools: [deferred('a')],
        messages: [null, 7, { role: 'user', content: [null, { type: 'tool_result' }] }],
      },
    ],
  ])('survives %s', (_, request) => {
    expect(() => rewritten(request)).not.toThrow();
  });
});
