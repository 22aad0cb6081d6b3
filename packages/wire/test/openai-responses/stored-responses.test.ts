import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/index.ts';
import { openaiResponses } from '../../src/openai-responses/openai-responses.ts';
import { planOf as bridgePlanOf } from '../run-exchange.ts';
import { edited, fn, found, planOf, play, viewOf } from './exchange.ts';
import { call, message, toolSearch, writeResponse } from './write-response.ts';

const stored = openaiResponses.capabilities.storedResponses!;
const TOOLS = [fn('a'), fn('b'), fn('kept')];
const search = (id: string) => call(id, 'gateway_search_tools', '{"query":"a"}');

function aliasAfter(loadMode: 'swap' | 'native', ...outputs: ReturnType<typeof call>[][]) {
  const view = viewOf({ tools: TOOLS, stream: true });
  const plan = planOf(loadMode, ['a', 'b']);
  const responses = outputs.map((output, at) => writeResponse({ id: `resp_${at + 1}`, output }));
  const rounds = play(view, plan, ...responses).turns.map((turn) => found(turn, 'a'));
  return stored.aliasOf(view, plan, rounds, undefined)!;
}

describe('a stored response', () => {
  test('is gone on from by the id of its last round, with the tools that it found', () => {
    const alias = aliasAfter('swap', [search('fc_1')], [call('fc_b', 'b', '{}')]);
    expect(alias).toEqual({ id: 'resp_1', rounds: ['resp_1', 'resp_2'], names: ['a', 'b'], results: [] });
    const input = [{ type: 'function_call_output', call_id: 'call_b', output: 'ok' }];
    const next = viewOf({ tools: TOOLS, previous_response_id: 'resp_1', input });
    expect(stored.previousId(next)).toBe('resp_1');
    const sent = edited(next, planOf('swap', ['a', 'b'], ['a', 'b']), { hiddenTurns: [], rounds: [], alias });
    expect(sent).toMatchObject({ previous_response_id: 'resp_2', input });
  });

  test.each([
    ['swap', search('fc_s'), { type: 'function_call_output', output: expect.stringContaining('- a') }],
    [
      'native',
      toolSearch('tsc_s', 'a'),
      { type: 'tool_search_output', execution: 'client', tools: [fn('a')] },
    ],
  ] as const)('gets the results of searches next to its calls, %s', (mode, asked, answer) => {
    const alias = aliasAfter(mode, [asked, call('fc_kept', 'kept', '{}')]);
    const input = [{ type: 'function_call_output', call_id: 'call_kept', output: 'ok' }];
    const next = viewOf({ tools: TOOLS, previous_response_id: 'resp_1', input });
    const sent = edited(next, planOf(mode, ['a', 'b'], ['a']), { hiddenTurns: [], rounds: [], alias });
    expect(sent.input).toMatchObject([{ ...answer, call_id: 'call_s' }, ...input]);
    expect(sent).toMatchObject({ previous_response_id: 'resp_1' });
  });

  test('declares no tool for a call in native mode, where all of them are declared', () => {
    const alias = aliasAfter('native', [toolSearch('tsc_s', 'a')], [call('fc_b', 'b', '{}')]);
    expect(alias.names).toEqual(['a']);
  });

  test('is none when the client does not want it stored', () => {
    const view = viewOf({ tools: TOOLS, stream: true, store: false });
    const { turns } = play(
      view,
      planOf('swap', ['a', 'b']),
      writeResponse({ id: 'resp_1', output: [message('msg_1', 'Hi.')] }),
    );
    expect(stored.idOf(view, turns[0]!)).toBeUndefined();
  });

  test.each([
    ['GET', '/v1/responses/resp_1', 'get', ['/v1/responses/resp_b']],
    ['DELETE', '/v1/responses/resp_1', 'delete', ['/v1/responses/resp_a', '/v1/responses/resp_b']],
    ['POST', '/openai/v1/responses/resp_1/cancel', 'cancel', ['/openai/v1/responses/resp_b/cancel']],
    ['GET', '/v1/responses/resp_1/input_items', 'input_items', ['/v1/responses/resp_b/input_items']],
  ] as const)('is asked for by its id: %s %s', (method, path, action, targets) => {
    const request = stored.matchRoute(method, { path, query: '?limit=2' })!;
    expect(request).toMatchObject({ id: 'resp_1', action });
    const alias = { id: 'resp_1', rounds: ['resp_a', 'resp_b'], names: [], results: [] };
    expect(stored.targetsOf(request, alias)).toEqual(
      targets.map((target) => ({ path: target, query: '?limit=2' })),
    );
  });

  test.each([
    ['POST', '/v1/responses/compact'],
    ['POST', '/v1/responses/input_tokens'],
    ['PUT', '/v1/responses/resp_1'],
    ['GET', '/v1/responses/resp_1/cancel'],
    ['GET', '/v1/conversations/conv_1/items'],
  ])('is nothing of: %s %s', (method, path) => {
    expect(stored.matchRoute(method, { path, query: '' })).toBeUndefined();
  });

  test('is shown by the client’s id, without searches and what they found', () => {
    const alias = { id: 'resp_1', rounds: ['resp_a', 'resp_b'], names: [], results: [] };
    const show = (body: unknown) =>
      JSON.parse(stored.showStored(JSON.stringify(body), alias, 'gateway_search_tools'));
    expect(
      show({
        id: 'resp_b',
        tools: [fn('kept'), fn('gateway_search_tools')],
        output: [message('msg_1', 'Hi.')],
      }),
    ).toEqual({
      id: 'resp_1',
      tools: [fn('kept')],
      output: [message('msg_1', 'Hi.')],
    });
    const answer = { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'a' };
    const mine = { type: 'function_call_output', id: 'fco_2', call_id: 'call_kept', output: 'ok' };
    const data = [answer, search('fc_1'), mine, toolSearch('tsc_9', 'x')];
    expect(show({ object: 'list', data, first_id: 'fco_1', last_id: 'tsc_9', has_more: true })).toEqual({
      object: 'list',
      data: [mine],
      first_id: 'fco_2',
      last_id: 'fco_2',
      has_more: true,
    });
    // Models misspell the name; one that the client has declared is its own.
    const misspelt = ['functions.gateway_search_tools', 'gatewaySearchTools'].map((name) =>
      call('fc_2', name, '{"query":"a"}'),
    );
    const own = call('fc_3', 'gateway-search-tools', '{}');
    expect(show({ id: 'resp_b', output: misspelt }).output).toEqual([]);
    expect(show({ id: 'resp_b', tools: [fn(own.name as string)], output: [own] }).output).toEqual([own]);
    expect(stored.showStored('not json', alias, 'x')).toBe('not json');
    const large = JSON.stringify({ data: [search('fc_1')], more: Array.from({ length: 250_000 }, () => 1) });
    expect(stored.showStored(large, alias, 'gateway_search_tools')).toBe(large);
  });

  test('is shown without the tools that were defined in its first message', () => {
    const tool = 'gateway_call_tool';
    const bridge = { tool, refused: [], namespaces: [] };
    const alias = { id: 'resp_1', rounds: ['resp_1'], names: [], results: [], bridge };
    const preload = { names: ['a'], form: 'text' } as const;
    const plan = { ...bridgePlanOf(['a', 'b'], ['a'], 'bridge'), preload } as Plan;
    const asked = (input: unknown) =>
      edited(viewOf({ tools: TOOLS, input }), plan, { hiddenTurns: [], rounds: [] });
    const contentOf = (input: unknown) => (asked(input).input as { content: unknown[] }[])[0]!.content;
    const parts = contentOf([{ role: 'user', content: 'Hi.' }]) as { text: string }[];
    expect(parts).toHaveLength(2);
    const joined = [{ type: 'input_text', text: `Hi.\n\n${parts[1]!.text}` }];
    for (const content of [parts, joined]) {
      const data = [{ type: 'message', role: 'user', content }];
      const shown = stored.showStored(JSON.stringify({ data }), alias, 'gateway_search_tools');
      expect(JSON.parse(shown)).toEqual({ data: [{ type: 'message', role: 'user', content: [parts[0]] }] });
    }
  });

  test('keeps the ids of the last refused calls', () => {
    const refused = Array.from({ length: 300 }, (_, nth) => `call_${nth}`);
    const bridge = { tool: 'gateway_call_tool', refused, namespaces: [] };
    const earlier = { id: 'resp_0', rounds: ['resp_0'], names: [], results: [], bridge };
    const view = viewOf({ tools: TOOLS, stream: true });
    const plan = bridgePlanOf(['a', 'b'], [], 'bridge');
    const { turns } = play(
      view,
      plan,
      writeResponse({ id: 'resp_1', output: [call('fc_no', 'gateway_call_tool', '{}')] }),
    );
    const alias = stored.aliasOf(view, plan, [{ turn: turns[0]!, results: [] }], earlier)!;
    expect(alias.bridge!.refused).toHaveLength(256);
    expect(alias.bridge!.refused.at(-1)).toBe('call_no');
  });

  test('is shown with real calls in place of bridge calls, and without refused ones', () => {
    const tool = 'gateway_call_tool';
    const bridge = { tool, refused: ['call_no'], namespaces: ['crm'] };
    const alias = { id: 'resp_1', rounds: ['resp_1'], names: [], results: [], bridge };
    const output = [
      call('fc_no', tool, '{"name":"nothing","arguments":{}}'),
      { type: 'function_call_output', id: 'fco_no', call_id: 'call_no', output: 'There is no tool.' },
      call('fc_a', tool, '{"name": "a", "arguments": {"x": 1e2}}'),
      call('fc_b', `functions.${tool}`, '{"name":"crm.find"}'),
    ];
    const body = JSON.stringify({ id: 'resp_1', tools: [fn('kept'), fn(tool)], output });
    expect(JSON.parse(stored.showStored(body, alias, 'gateway_search_tools'))).toEqual({
      id: 'resp_1',
      tools: [fn('kept')],
      output: [call('fc_a', 'a', '{"x": 1e2}'), { ...call('fc_b', 'find', '{}'), namespace: 'crm' }],
    });
  });
});
