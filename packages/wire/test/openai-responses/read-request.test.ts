import { describe, expect, test } from 'vitest';
import { edited, fn, found, planOf, play, viewOf } from './exchange.ts';
import { call, writeResponse } from './write-response.ts';

const TOOLS = [fn('a'), fn('b')];

describe('a request of Responses', () => {
  test('may have a text for its input, to which rounds are appended as to a message', () => {
    const view = viewOf({ tools: TOOLS, input: 'Wie geht "das"?\n' });
    expect(view).toMatchObject({ query: 'Wie geht "das"?\n', firstUserText: 'Wie geht "das"?\n' });
    const plan = planOf('swap', ['a', 'b']);
    const one = writeResponse({ id: 'r1', output: [call('fc_s', 'gateway_search_tools', '{"query":"a"}')] });
    const { turns } = play(view, plan, one);
    const rounds = [found(turns[0]!, 'a')];
    expect(edited(view, plan, { hiddenTurns: [], rounds }).input).toMatchObject([
      { role: 'user', content: 'Wie geht "das"?\n' },
      { type: 'function_call', name: 'gateway_search_tools' },
      { type: 'function_call_output', call_id: 'call_s' },
    ]);
  });

  test.each([
    ['background', { background: true }],
    ['conversation', { conversation: 'conv_1' }],
    ['conversation', { conversation: { id: 'conv_1' } }],
    ['stored_prompt', { prompt: { id: 'pmpt_1' } }],
    ['client_defers', { tools: [...TOOLS, { type: 'tool_search', execution: 'client' }] }],
    ['client_defers', { tools: [...TOOLS, fn('c', { defer_loading: true })] }],
    [
      'client_defers',
      { tools: [{ type: 'namespace', name: 'n', tools: [fn('c', { defer_loading: true })] }] },
    ],
    ['client_defers', { input: [{ type: 'additional_tools', role: 'developer', tools: [] }] }],
    [
      'client_defers',
      { input: [{ type: 'tool_search_output', call_id: 'c', execution: 'client', tools: [] }] },
    ],
    ['async_tools', { tools: [...TOOLS, fn('c', { async: true })] }],
    ['no_function_tools', { tools: [{ type: 'web_search' }] }],
  ])('is left alone: %s %j', (reason, more) => {
    expect(viewOf({ tools: TOOLS, ...more }).bypass).toBe(reason);
  });

  test.each([
    ['required', { mode: 'required', names: [] }],
    ['none', { mode: 'none', names: [] }],
    [
      { type: 'function', name: 'a' },
      { mode: 'required', names: ['a', 'n.a'] },
    ],
    [{ type: 'web_search' }, { mode: 'auto', names: [] }],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'b' },
          { type: 'namespace', name: 'n' },
        ],
      },
      { mode: 'required', names: ['b', 'n.a'] },
    ],
  ])('chooses tools: %j', (choice, read) => {
    const tools = [...TOOLS, { type: 'namespace', name: 'n', tools: [fn('a')] }];
    expect(viewOf({ tools, tool_choice: choice }).toolChoice).toEqual(read);
  });

  test('has its opening before the model’s first turn, and developers ask nothing', () => {
    const input = [
      { role: 'developer', content: 'Use apply_patch.' },
      { role: 'user', content: [{ type: 'input_text', text: 'First.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'a', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'ok' },
      { role: 'user', content: 'Second.' },
      { role: 'developer', content: 'Third.' },
    ];
    expect(viewOf({ tools: TOOLS, instructions: 'Be kind.', input })).toMatchObject({
      systemTexts: ['Be kind.', 'Use apply_patch.'],
      openingTexts: ['First.'],
      query: 'Second.',
      resultNames: ['a'],
      turns: [{ position: 2, callIds: ['call_1'] }],
    });
  });
});
