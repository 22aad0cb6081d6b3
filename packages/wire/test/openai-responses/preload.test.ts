import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/format/view.ts';
import { openaiResponses } from '../../src/openai-responses/openai-responses.ts';
import { edited, fn, planOf, viewOf } from './exchange.ts';

const TOOLS = [
  fn('kept'),
  { type: 'namespace', name: 'mail', description: 'Mail.', tools: [fn('send'), fn('list')] },
];
const PLAN: Plan = {
  ...planOf('native', ['mail.send', 'mail.list'], ['mail.send']),
  loadMode: 'native',
  preload: { names: ['mail.send'], form: 'search' },
};
const typesOf = (items: readonly unknown[]) =>
  (items as { type?: string; role?: string }[]).map(({ type, role }) => role ?? type);

describe('preloaded tools', () => {
  test('come as a tool search and its output, without ids, in their namespace', () => {
    const { input } = edited(viewOf({ tools: TOOLS }), PLAN);
    expect(typesOf(input)).toEqual(['user', 'tool_search_call', 'tool_search_output']);
    const [, call, output] = input as [object, { call_id: string }, { call_id: string }];
    expect(call).not.toHaveProperty('id');
    expect(output).toMatchObject({
      call_id: call.call_id,
      execution: 'client',
      tools: [{ type: 'namespace', name: 'mail', tools: [{ name: 'send' }] }],
    });
  });

  test('follow a text that replaces the history', () => {
    const { input } = edited(viewOf({ tools: TOOLS, input: 'Send it.' }), PLAN);
    expect(input[0]).toEqual({ role: 'user', content: 'Send it.' });
    expect(typesOf(input)).toEqual(['user', 'tool_search_call', 'tool_search_output']);
  });

  test('precede the reasoning of the first turn, and are not declared again when they are called', () => {
    const turn = [
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'send', namespace: 'mail', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    ];
    const input = [{ role: 'developer', content: 'Be brief.' }, { role: 'user', content: 'Go.' }, ...turn];
    const sent = edited(viewOf({ tools: TOOLS, input }), PLAN);
    expect(typesOf(sent.input)).toEqual([
      'developer',
      'user',
      'tool_search_call',
      'tool_search_output',
      'reasoning',
      'function_call',
      'function_call_output',
    ]);
    const { tools } = sent as unknown as { tools: { type: string }[] };
    expect(tools.map(({ type }) => type)).toEqual(['function', 'tool_search']);
  });

  test('do not come where the first message is not in the request', () => {
    const { preloadForms } = openaiResponses.editing;
    expect(preloadForms!(viewOf({ tools: TOOLS }), 'native')).toEqual(['search']);
    expect(preloadForms!(viewOf({ tools: TOOLS, previous_response_id: 'resp_1' }), 'native')).toEqual([]);
    expect(preloadForms!(viewOf({ tools: TOOLS, input: [] }), 'native')).toEqual([]);
  });
});

describe('definitions of preloaded tools in bridge mode', () => {
  const bridgeTool = { name: 'gateway_call_tool', description: 'Calls tools.' };
  const plan: Plan = {
    ...planOf('native', ['mail.send', 'mail.list'], ['mail.send']),
    loadMode: 'bridge',
    bridgeTool,
    bridged: ['mail.send', 'mail.list'],
    preload: { names: ['mail.send'], form: 'text' },
  };
  const block = expect.stringMatching(
    /^Tools that may fit[\s\S]*"name":"mail\.send"[\s\S]*<\/tool_definitions>$/,
  );

  test('are the last part of the first message', () => {
    const parts = [{ type: 'input_image', image_url: 'data:,' }];
    const { input } = edited(viewOf({ tools: TOOLS, input: [{ role: 'user', content: parts }] }), plan);
    expect(input).toEqual([{ role: 'user', content: [...parts, { type: 'input_text', text: block }] }]);
  });

  test('end a text that replaces the history, which stays a text', () => {
    const sent = edited(viewOf({ tools: TOOLS, input: 'Say "é".' }), plan);
    const [words, ...rest] = String(sent.input).split('\n\n');
    expect(words).toBe('Say "é".');
    expect(rest.join('\n\n')).toEqual(block);
  });

  test('come in no other form than that', () => {
    const { preloadForms } = openaiResponses.editing;
    expect(preloadForms!(viewOf({ tools: TOOLS, input: 'Go.' }), 'bridge')).toEqual(['text']);
    expect(preloadForms!(viewOf({ tools: TOOLS, previous_response_id: 'resp_1' }), 'bridge')).toEqual([]);
  });
});
