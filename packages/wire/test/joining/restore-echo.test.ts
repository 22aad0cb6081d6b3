import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/format/view.ts';
import { restoreEcho as restoreInteraction } from '../../src/gemini-interactions/join-responses.ts';
import { echoRestorer } from '../../src/joining/hide-mentions.ts';
import { restoreEcho as restoreResponse } from '../../src/openai-responses/join-responses.ts';
import * as interactions from '../gemini-interactions/exchange.ts';
import { fn, planOf, viewOf } from '../openai-responses/exchange.ts';

const VIEW = viewOf({ tools: [fn('a'), fn('offered')], instructions: 'Be  kind.' });
const OWN = viewOf({ tools: [fn('a')], instructions: 'Be  kind.' });
const MEMBERS = { own: ['instructions'], kept: ['output', 'tools'] };
const echo = (instructions: string, ...names: string[]) =>
  JSON.stringify({ id: 'resp_1', instructions, tools: names.map((name) => fn(name)), note: 'x', output: [] });

test('an echo of tools that the proxy has added becomes the tools that the client declared', () => {
  const plan: Plan = { ...planOf('swap', []), searchTool: undefined, offered: ['offered'] };
  const restore = echoRestorer(OWN, plan, MEMBERS);
  expect(JSON.parse(restore(echo('Be kind.', 'a', 'offered')))).toMatchObject({
    instructions: 'Be  kind.',
    tools: [fn('a')],
  });
});

test('an echo of unchanged tools stays, and one of hidden tools elsewhere is removed', () => {
  const nothing: Plan = { ...planOf('swap', []), searchTool: undefined };
  expect(JSON.parse(echoRestorer(VIEW, nothing, MEMBERS)(echo('Be  kind.', 'other'))).tools).toEqual([
    fn('other'),
  ]);
  const restore = echoRestorer(VIEW, planOf('swap', ['a']), MEMBERS);
  const told = echo('Be kind.', 'a').replace('"x"', '"gateway_search_tools"');
  expect(JSON.parse(restore(told))).not.toHaveProperty('note');
});

test.each([
  [undefined, 'auto'],
  [null, 'auto'],
  ['required', 'required'],
  ['none', 'none'],
])('an echo of a last round that forbids calls becomes the choice of the client: %j', (choice, shown) => {
  const view = viewOf({ tools: [fn('a')], ...(choice !== undefined && { tool_choice: choice }) });
  const restore = restoreResponse(view, planOf('swap', ['a']));
  expect(restore('{"id":"resp_1","tool_choice":"none"}')).toBe(`{"id":"resp_1","tool_choice":"${shown}"}`);
  expect(restore('{"tool_choice":{"type":"web_search"}}')).toBe('{"tool_choice":{"type":"web_search"}}');
});

test.each([
  [undefined, undefined],
  [{ seed: 1 }, { seed: 1 }],
  [
    { seed: 1, tool_choice: 'any' },
    { seed: 1, tool_choice: 'any' },
  ],
])('an echoed configuration that forbids calls becomes that of the client: %j', (own, shown) => {
  const view = interactions.viewOf({
    tools: [interactions.fn('a')],
    ...(own && { generation_config: own }),
  });
  const echoed = JSON.stringify({ id: 'i', generation_config: { ...own, tool_choice: 'none' } });
  const restored = JSON.parse(restoreInteraction(view, interactions.planOf(['a']))(echoed));
  expect(restored).toEqual({ id: 'i', ...(shown && { generation_config: shown }) });
});

test('an echo of the input loses our searches, with the thoughts that led to them, and nothing else', () => {
  const view = interactions.viewOf({ tools: [interactions.fn('a')] });
  const call = (name: string, id: string) => ({ type: 'function_call', name, id, arguments: {} });
  const result = (id: string) => ({ type: 'function_result', call_id: id, result: 'x' });
  const thought = { type: 'thought', signature: 's' };
  const kept = [
    { type: 'user_input', content: [{ type: 'image', data: '[redacted]' }] },
    thought,
    call('a', 'c2'),
    result('c2'),
  ];
  const [said, ...later] = kept;
  const searched = [thought, call('gateway_search_tools', 'c1'), result('c1')];
  const restored = (input: readonly object[]) =>
    JSON.parse(restoreInteraction(view, interactions.planOf(['a']))(JSON.stringify({ id: 'i', input })))
      .input;
  expect(restored([said!, ...searched, ...later])).toEqual(kept);
  expect(restored(kept)).toEqual(kept);
  expect(restored(searched)).toEqual('Go.');
});

describe('tools that Winnow has not changed', () => {
  const mcp = (secrets: object) => ({
    type: 'mcp',
    server_label: 'crm',
    server_url: 'https://x',
    ...secrets,
  });
  const sent = [
    mcp({ authorization: 'secret', headers: { key: 'secret' } }),
    fn('a'),
    { type: 'web_search_preview' },
    fn('b'),
  ];
  const tools = [
    mcp({ authorization: null, headers: null }),
    { type: 'web_search_preview_2025_03_11', search_context_size: 'medium' },
    { ...fn('b'), strict: true },
    fn('gateway_search_tools'),
  ];
  const restored = (mode: 'swap' | 'native', defer: string[], echoed: readonly object[]) =>
    JSON.parse(
      restoreResponse(
        viewOf({ tools: sent }),
        planOf(mode, defer),
      )(JSON.stringify({ id: 'r', tools: echoed })),
    ).tools;

  test.each(['swap', 'native'] as const)('are as the provider repeats them, %s', (mode) => {
    const search = mode === 'native' ? { type: 'tool_search', execution: 'client' } : tools[3]!;
    expect(restored(mode, ['a'], [...tools.slice(0, 3), search])).toEqual([
      tools[0],
      fn('a'),
      tools[1],
      tools[2],
    ]);
  });

  test('are so where all tools stay, and where a found one is loaded again', () => {
    expect(restored('swap', [], [tools[0]!, fn('a'), ...tools.slice(1)])).toEqual([
      tools[0],
      fn('a'),
      ...tools.slice(1, 3),
    ]);
    const again = { ...fn('a'), strict: true };
    expect(restored('swap', ['a'], [...tools, again])).toEqual([tools[0], fn('a'), tools[1], tools[2]]);
  });

  test('show no secret of the client where the provider leaves some of them out', () => {
    expect(JSON.stringify(restored('swap', ['a'], [tools[2]!, tools[3]!]))).not.toContain('secret');
  });
});
