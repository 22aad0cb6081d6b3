import { describe, expect, test } from 'vitest';
import { geminiInteractions } from '../../src/gemini-interactions/gemini-interactions.ts';
import { edited, fn, found, planOf, play, user, viewOf } from './exchange.ts';
import { call, output, thought, writeInteraction } from './write-interaction.ts';

const TOOLS = [fn('a'), fn('b'), fn('kept')];
const PLAN = planOf(['a', 'b']);
const search = (id: string) => call(id, 'gateway_search_tools', '{"query":"a"}');
const result = (id: string, text: unknown = 'ok') => ({ type: 'function_result', call_id: id, result: text });

describe('a request is read', () => {
  test.each([
    ['a text', 'Hi there'],
    ['a content', { type: 'text', text: 'Hi there' }],
    [
      'contents',
      [
        { type: 'image', uri: 'x' },
        { type: 'text', text: 'Hi there' },
      ],
    ],
    ['steps', [user('Hi there')]],
  ])('with an input that is %s', (_, input) => {
    const view = viewOf({ input, system_instruction: 'Be brief.' });
    expect(view).toMatchObject({ query: 'Hi there', turns: [], model: 'gemini-3-pro' });
    expect(view.systemTexts).toEqual(['Be brief.']);
    expect(view.openingTexts).toEqual(['Hi there']);
  });

  test("with the model's steps as turns, and with results where the AI SDK puts them", () => {
    const { turns, calledNames, resultNames, query, openingTexts } = viewOf({
      input: [
        user('One'),
        thought('s'),
        { type: 'google_search_call', id: 'g' },
        { type: 'google_search_result', call_id: 'g' },
        { type: 'function_call', id: 'c1', name: 'a', arguments: {} },
        { type: 'function_call', id: 'c2', name: 'b', arguments: {} },
        result('c1'),
        { type: 'user_input', content: [result('c2')] },
        output('Done.'),
        user('Two'),
      ],
    });
    expect(turns).toEqual([
      { position: 1, callIds: ['c1', 'c2'] },
      { position: 8, callIds: [] },
    ]);
    expect([...calledNames]).toEqual(['a', 'b']);
    expect(resultNames).toEqual(['a', 'b']);
    expect(query).toBe('Two');
    expect(openingTexts).toEqual(['One']);
  });

  test.each([
    [undefined, 'auto', []],
    ['auto', 'auto', []],
    ['any', 'required', []],
    ['none', 'none', []],
    ['validated', 'auto', []],
    [{ allowed_tools: { mode: 'any', tools: ['a', 'b'] } }, 'required', ['a', 'b']],
    [{ allowed_tools: { mode: 'validated', tools: ['a'] } }, 'auto', ['a']],
    [{ allowed_tools: { tools: ['a'] } }, 'auto', ['a']],
  ])('with its tool_choice: %j', (tool_choice, mode, names) => {
    expect(viewOf({ generation_config: { tool_choice } }).toolChoice).toEqual({ mode, names });
  });

  test.each([
    ['agent', { agent: 'deep-research', model: undefined }],
    ['background', { background: true }],
    ['cached_content', { cached_content: 'cachedContents/x' }],
    ['continued_thread', { continuation_token: 't' }],
    ['continued_thread', { continuation_token: 't', input: undefined, previous_interaction_id: 'v1_a' }],
    ['client_defers', { tools: [fn('a', { defer_loading: true })] }],
    ['name_collision', { tools: [fn('gateway_search_tools')] }],
    ['assistant_prefill', { input: [user('Hi'), output('I')] }],
    ['no_function_tools', { tools: [{ type: 'google_search' }] }],
    [undefined, { tools: [{ type: 'google_search' }, fn('a')], store: false, background: false }],
  ])('and left alone when it has to be: %s', (reason, request) => {
    expect(viewOf({ tools: TOOLS, ...request }).bypass).toBe(reason);
  });
});

describe('a request is edited', () => {
  const round = (input: unknown) => {
    const view = viewOf({ tools: TOOLS, input });
    const { turns } = play(view, PLAN, writeInteraction({ id: 'v1_1', steps: [thought('s'), search('s1')] }));
    return edited(view, planOf(['a', 'b'], ['a']), { hiddenTurns: [], rounds: [found(turns[0]!, 'a')] });
  };
  const asked = [
    { type: 'thought', signature: 's' },
    { type: 'function_call', id: 's1', name: 'gateway_search_tools', arguments: { query: 'a' } },
    expect.objectContaining({ type: 'function_result', call_id: 's1', name: 'gateway_search_tools' }),
  ];

  test.each([
    ['a text', 'Say "hi"', [user('Say "hi"')]],
    ['a content', { type: 'text', text: 'Hi' }, [user('Hi')]],
    [
      'contents',
      [
        { type: 'text', text: 'Look:' },
        { type: 'image', uri: 'x' },
      ],
      [
        {
          type: 'user_input',
          content: [
            { type: 'text', text: 'Look:' },
            { type: 'image', uri: 'x' },
          ],
        },
      ],
    ],
    ['steps', [user('Hi')], [user('Hi')]],
    ['results', [result('c1')], [result('c1')]],
  ])("with a round's steps after an input that is %s", (_, input, steps) => {
    expect(round(input).input).toEqual([...steps, ...asked]);
  });

  test('with found tools after the search tool', () => {
    expect(round('Hi').tools).toMatchObject([
      { name: 'kept' },
      { type: 'function', name: 'gateway_search_tools' },
      { name: 'a' },
    ]);
  });

  test('with the steps of a provider tool in a hidden round', () => {
    const view = viewOf({ tools: [...TOOLS, { type: 'google_search' }], stream: true });
    const events = [
      { interaction: { id: 'v1_1', status: 'in_progress' }, event_type: 'interaction.created' },
      { index: 0, step: { id: 'g', signature: '', type: 'google_search_call' }, event_type: 'step.start' },
      {
        index: 0,
        delta: { type: 'google_search_call', arguments: { queries: ['x'] } },
        event_type: 'step.delta',
      },
      { index: 0, event_type: 'step.stop' },
      { index: 1, step: { call_id: 'g', type: 'google_search_result' }, event_type: 'step.start' },
      {
        index: 1,
        delta: { type: 'google_search_result', result: [1], is_error: false },
        event_type: 'step.delta',
      },
      { index: 1, delta: { type: 'google_search_result', result: [2] }, event_type: 'step.delta' },
      { index: 1, event_type: 'step.stop' },
      { index: 2, step: { type: 'model_output' }, event_type: 'step.start' },
      { index: 2, delta: { type: 'text', text: 'A ' }, event_type: 'step.delta' },
      { index: 2, delta: { type: 'text', text: 'b.' }, event_type: 'step.delta' },
      {
        index: 2,
        delta: { type: 'text_annotation_delta', annotations: [{ url: 'u' }] },
        event_type: 'step.delta',
      },
      { index: 2, delta: { type: 'image', data: 'AA==' }, event_type: 'step.delta' },
      { index: 2, event_type: 'step.stop' },
      { index: 3, step: search('s1'), event_type: 'step.start' },
      { index: 3, event_type: 'step.stop' },
      { interaction: { id: 'v1_1', status: 'requires_action' }, event_type: 'interaction.completed' },
    ];
    const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const { turns } = play(view, PLAN, { stream, whole: '' });
    expect(JSON.parse(turns[0]!.message)).toEqual([
      { id: 'g', type: 'google_search_call', arguments: { queries: ['x'] } },
      { call_id: 'g', type: 'google_search_result', result: [1, 2], is_error: false },
      {
        type: 'model_output',
        content: [
          { type: 'text', text: 'A b.', annotations: [{ url: 'u' }] },
          { type: 'image', data: 'AA==' },
        ],
      },
      search('s1'),
    ]);
    expect(turns[0]!.searches).toMatchObject([{ id: 's1', queries: ['a'] }]);
  });

  test('with the signatures of a turn that is put back as they were, whatever was refused', () => {
    const asking = viewOf({ tools: TOOLS, input: [user('Hi')] });
    const steps = [search('s1'), { type: 'function_call', id: 'call00001', name: 'a', arguments: {} }];
    const { turns } = play(asking, PLAN, writeInteraction({ id: 'v1_1', steps: [thought('s'), ...steps] }));
    const hidden = geminiInteractions.remembering.hideTurn(asking, [found(turns[0]!, 'a')])!;
    const input = [user('Hi'), thought('s'), steps[1], result('call00001')];
    const past = { hiddenTurns: [hidden], rounds: [], dropsThinking: true };
    const types = edited(viewOf({ tools: TOOLS, input }), PLAN, past).input as { signature?: string }[];
    expect(types).toHaveLength(6);
    expect(types[1]).toEqual(thought('s'));
  });

  test('with signatures that were refused replaced, in the current turn alone', () => {
    const steps = (id: string) => [
      thought(`s${id}`),
      { type: 'function_call', id, name: 'a', arguments: {} },
    ];
    const view = viewOf({
      tools: TOOLS,
      input: [
        user('One'),
        ...steps('c1'),
        result('c1'),
        user('Two'),
        ...steps('c2'),
        result('c2'),
        { type: 'function_call', id: 'c3', name: 'a', arguments: {} },
        result('c3'),
      ],
    });
    expect(geminiInteractions.capabilities.thinking!.holdsThinking(view)).toBe(true);
    const any = { type: 'thought', signature: 'skip_thought_signature_validator' };
    const { input } = edited(view, PLAN, { hiddenTurns: [], rounds: [], dropsThinking: true });
    expect(input.slice(0, 4)).toEqual([user('One'), ...steps('c1'), result('c1')]);
    expect(input.slice(5)).toEqual([
      any,
      steps('c2')[1],
      result('c2'),
      any,
      { type: 'function_call', id: 'c3', name: 'a', arguments: {} },
      result('c3'),
    ]);
  });
});
