import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { addedHeaders } from '../../src/format/load-rules.ts';
import type { Past } from '../../src/format/request-parts.ts';
import type { Plan } from '../../src/format/view.ts';
import { planOf, viewOf } from './exchange.ts';

const SEARCH_TOOL =
  '{"name":"gateway_search_tools","description":"Finds tools.","input_schema":{"type":"object","properties":{"queries":' +
  '{"type":"array","items":{"type":"string"},"description":"One to four phrases."}},"required":["queries"],' +
  '"additionalProperties":false}}';
const MARKED_SEARCH_TOOL = SEARCH_TOOL.replace(/\}$/, ',"cache_control":{"type":"ephemeral"}}');

const A = '{"name":"a","input_schema":{"type":"object","x":1.0}}';
const B = '{ "name" : "b",\n"input_schema":{"type":"object","maximum":12345678901234567890} }';
const C = '{"input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"},"name":"c"}';
const BASH = '{"type":"bash_20250124","name":"bash"}';

const edited = (tools: string, plan: Plan, past: Partial<Past> = {}): string => {
  const view = viewOf(`{"max_tokens":1.0e1,"tools":${tools},"messages":[{"role":"user","content":"Hi"}]}`);
  return new TextDecoder().decode(
    anthropicMessages.editing.editRequest(view, plan, { hiddenTurns: [], rounds: [], ...past }),
  );
};
const around = (tools: string) =>
  `{"max_tokens":1.0e1,"tools":${tools},"messages":[{"role":"user","content":"Hi"}]}`;

describe('natively', () => {
  test('marks deferred tools in place and appends the search tool, and changes nothing else', () => {
    const deferredB =
      '{ "name" : "b",\n"input_schema":{"type":"object","maximum":12345678901234567890},"defer_loading":true }';
    expect(edited(`[${A} , ${B},${BASH} ]`, planOf('native', ['b']))).toBe(
      around(`[${A} , ${deferredB},${BASH},${SEARCH_TOOL} ]`),
    );
  });

  test('replaces a mark with the value false', () => {
    const tool = '{"name":"b","defer_loading":false,"input_schema":{}}';
    expect(edited(`[${A},${tool}]`, planOf('native', ['b']))).toBe(
      around(`[${A},{"name":"b","defer_loading":true,"input_schema":{}},${SEARCH_TOOL}]`),
    );
  });

  test('moves the cache mark of a deferred tool to the search tool, the last that is not deferred', () => {
    expect(edited(`[${A},${C}]`, planOf('native', ['c']))).toBe(
      around(
        `[${A},{"input_schema":{"type":"object"},"name":"c","defer_loading":true},${MARKED_SEARCH_TOOL}]`,
      ),
    );
  });

  test('leaves the mark of a kept tool where it is', () => {
    const deferredA = '{"name":"a","input_schema":{"type":"object","x":1.0},"defer_loading":true}';
    expect(edited(`[${A},${C}]`, planOf('native', ['a']))).toBe(around(`[${deferredA},${C},${SEARCH_TOOL}]`));
  });

  test('moves one mark of several, and none that is longer-lived than an earlier one', () => {
    const long = '"cache_control":{"type":"ephemeral","ttl":"1h"}';
    const marked = (name: string, mark: string) => `{"name":"${name}","input_schema":{},${mark}}`;
    const two = `[${marked('x', long)},${marked('y', long)},${A}]`;
    expect(edited(two, planOf('native', ['x', 'y'])).match(/cache_control/g)).toHaveLength(1);
    expect(edited(two, planOf('native', ['x', 'y']))).toContain(`"additionalProperties":false},${long}}]`);
    const behindShort = `[${C},${marked('y', long)}]`;
    expect(edited(behindShort, planOf('native', ['y']))).not.toContain('1h');
  });

  test.each([[[]], [['b']]])('sends the same tools on every round, with %j loaded before', (loaded) => {
    const results = [{ callId: 's', kind: 'found' as const, tools: [{ name: 'b', description: '' }] }];
    const turn = { message: '{"role":"assistant","content":[]}', realCalls: [], searches: [] };
    const plan = planOf('native', ['a', 'b'], loaded);
    const first = edited(`[${A},${B}]`, plan);
    const second = edited(`[${A},${B}]`, plan, { rounds: [{ turn, results }] });
    expect(toolsIn(second)).toBe(toolsIn(first));
  });

  test('marks a tool whatever was loaded, so that the tools stay the same', () => {
    const tools = `[${A},${B}]`;
    expect(edited(tools, planOf('native', ['a', 'b'], ['b']))).toBe(
      edited(tools, planOf('native', ['a', 'b'])),
    );
  });

  test('never defers every tool', () => {
    const plan = { ...planOf('native', ['a', 'b']), searchTool: undefined };
    expect(edited(`[${A},${B}]`, plan)).toBe(around(`[${A},${B}]`));
  });
});

describe('by swapping', () => {
  test('sends kept tools, the search tool and loaded tools in load order, in their own bytes', () => {
    expect(edited(`[${A},${B},${BASH}]`, planOf('swap', ['a', 'b']))).toBe(
      around(`[${BASH},${SEARCH_TOOL}]`),
    );
    expect(edited(`[${A},${B},${BASH}]`, planOf('swap', ['a', 'b'], ['b', 'a']))).toBe(
      around(`[${BASH},${SEARCH_TOOL},${B},${A}]`),
    );
  });

  test('keeps the moved cache mark at its place while tools are loaded', () => {
    const unmarked = '{"input_schema":{"type":"object"},"name":"c"}';
    expect(edited(`[${A},${C}]`, planOf('swap', ['c']))).toBe(around(`[${A},${MARKED_SEARCH_TOOL}]`));
    expect(edited(`[${A},${C}]`, planOf('swap', ['c'], ['c']))).toBe(
      around(`[${A},${MARKED_SEARCH_TOOL},${unmarked}]`),
    );
  });

  test('moves the mark to the last kept tool where there is no search tool', () => {
    const plan = { ...planOf('swap', ['c']), searchTool: undefined };
    const markedA =
      '{"name":"a","input_schema":{"type":"object","x":1.0},"cache_control":{"type":"ephemeral"}}';
    expect(edited(`[${A},${C}]`, plan)).toBe(around(`[${markedA}]`));
  });

  test('never sends an empty list', () => {
    const plan = { ...planOf('swap', ['a']), searchTool: undefined };
    expect(edited(`[${A}]`, plan)).toBe(around(`[${A}]`));
  });
});

test('a token count has the same tools as the request that it counts for', () => {
  const request = {
    model: 'm',
    messages: [],
    tools: [
      { name: 'a', input_schema: {} },
      { name: 'b', input_schema: {} },
    ],
  };
  const sent = (purpose: 'answer' | 'count_tokens') =>
    anthropicMessages.editing.editRequest(viewOf(request, purpose), planOf('native', ['b']), {
      hiddenTurns: [],
      rounds: [],
    });
  expect(sent('count_tokens')).toEqual(sent('answer'));
});

test('asks for the header that deferred tools need, and for none without them', () => {
  const header = { name: 'anthropic-beta', value: 'advanced-tool-use-2025-11-20' };
  expect(addedHeaders(anthropicMessages.loading, planOf('native', ['a']))).toEqual([header]);
  expect(addedHeaders(anthropicMessages.loading, planOf('native', []))).toEqual([]);
  expect(addedHeaders(anthropicMessages.loading, planOf('swap', ['a']))).toEqual([]);
});

function toolsIn(request: string): string {
  return JSON.stringify((JSON.parse(request) as { tools: unknown }).tools);
}
