import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { addedHeaders } from '../../src/format/load-rules.ts';
import type { Plan, PreloadForm, Round } from '../../src/format/view.ts';
import { planOf, viewOf } from './exchange.ts';

const TOOLS = ['kept', 'mail_send', 'mail_list'].map((name) => ({ name, input_schema: { type: 'object' } }));
const user = (content: unknown = 'Send it.') => ({ role: 'user', content });
const reminder = { role: 'system', content: 'It is Monday.' };
const mark = { type: 'ephemeral' };

const requestOf = (messages: readonly object[], more: object = {}) =>
  viewOf({ model: 'claude-opus-5', max_tokens: 9, tools: TOOLS, messages, ...more });

function planBy(form: PreloadForm): Plan {
  const plan = planOf('native', ['mail_send', 'mail_list']);
  return { ...plan, loadMode: 'native', preload: { names: ['mail_send', 'mail_list'], form } };
}

function messagesOf(messages: readonly object[], form: PreloadForm, rounds: readonly Round[] = []) {
  const edited = anthropicMessages.editing.editRequest(requestOf(messages), planBy(form), {
    hiddenTurns: [],
    rounds,
  });
  return (JSON.parse(new TextDecoder().decode(edited)) as { messages: unknown[] }).messages;
}

const ADDITIONS = ['mail_send', 'mail_list'].map((name) => ({
  type: 'tool_addition',
  tool: { type: 'tool_reference', name },
}));

describe('preloaded tools', () => {
  const forms = (model: string, more: object = {}, messages: readonly object[] = [user()]) =>
    anthropicMessages.editing.preloadForms!(requestOf(messages, { model, ...more }), 'native');
  const budget = { thinking: { type: 'enabled', budget_tokens: 1_024 } };

  test.each([
    'claude-opus-4-8',
    'claude-opus-5',
    'claude-opus-5-20260101',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-fable-5',
    'claude-mythos-5-1',
  ])('are added by a change of tools at first: %s', (model) => {
    expect(forms(model)).toEqual(['change', 'search', 'names']);
  });

  test.each([
    'claude-opus-4-7',
    'claude-sonnet-4-6',
    'claude-sonnet-5',
    'claude-haiku-4-5-20251001',
    'other',
  ])('come with a search where the model takes no change of tools: %s', (model) => {
    expect(forms(model)).toEqual(['search', 'names']);
    expect(forms(model, { thinking: { type: 'adaptive' } })).toEqual(['search', 'names']);
  });

  test('are only named where a turn must begin with thinking', () => {
    expect(forms('claude-sonnet-4-6', budget)).toEqual(['names']);
    expect(forms('claude-opus-5', budget)).toEqual(['change', 'names']);
  });

  test('do not come where the first message is not in the request, nor by themselves in other modes', () => {
    expect(forms('claude-opus-5', {}, [{ role: 'assistant', content: 'Hi.' }, user()])).toEqual([]);
    expect(anthropicMessages.editing.preloadForms!(requestOf([user()]), 'swap')).toEqual([]);
  });

  test('are added after the last message before the first turn of the model', () => {
    const added = { role: 'system', content: ADDITIONS };
    expect(messagesOf([user('a'), user('b')], 'change')).toEqual([user('a'), user('b'), added]);
    const later = [user(), { role: 'assistant', content: 'Done.' }, user('More.')];
    expect(messagesOf(later, 'change')).toEqual([later[0], added, ...later.slice(1)]);
  });

  test("are added to the client's own system message in that place", () => {
    expect(messagesOf([user(), reminder], 'change')).toEqual([
      user(),
      { role: 'system', content: [{ type: 'text', text: 'It is Monday.' }, ...ADDITIONS] },
    ]);
  });

  test('come with the beta for changes of tools', () => {
    const betas = (form: PreloadForm) =>
      addedHeaders(anthropicMessages.loading, planBy(form)).map(({ value }) => value);
    expect(betas('change')).toEqual([
      'advanced-tool-use-2025-11-20',
      'mid-conversation-tool-changes-2026-07-01',
    ]);
    expect(betas('search')).toEqual(['advanced-tool-use-2025-11-20']);
  });

  test('come with a search of the same id in every request', () => {
    const [, call, result] = messagesOf([user(), reminder], 'search').slice(1) as [
      unknown,
      { content: [{ id: string }] },
      { content: [{ tool_use_id: string; content: unknown[] }] },
    ];
    const [{ id }] = call.content;
    expect(id).toMatch(/^toolu_[A-Za-z0-9]{24}$/);
    expect(result.content[0].tool_use_id).toBe(id);
    expect(result.content[0].content.slice(0, 2)).toEqual([
      { type: 'tool_reference', tool_name: 'mail_send' },
      { type: 'tool_reference', tool_name: 'mail_list' },
    ]);
    const later = messagesOf([user(), reminder, { role: 'assistant', content: 'Done.' }, user()], 'search');
    expect(later.slice(2, 4)).toEqual([call, result]);
  });

  test('are named behind an image, in the last message of the user', () => {
    const image = { type: 'image', source: { type: 'url', url: 'https://a.example' }, cache_control: mark };
    const [message, system] = messagesOf([user([image]), reminder], 'names') as [
      { content: unknown[] },
      object,
    ];
    expect(message.content).toEqual([
      image,
      { type: 'text', text: expect.stringContaining('gateway_search_tools: mail_send, mail_list.') },
    ]);
    expect(system).toEqual(reminder);
  });

  test('come before the rounds of the exchange', () => {
    const turn = { message: '{"role":"assistant","content":[]}', realCalls: [], searches: [] };
    const roles = messagesOf([user()], 'change', [{ turn, results: [] }]) as { role: string }[];
    expect(roles.map(({ role }) => role)).toEqual(['user', 'system', 'assistant', 'user']);
  });
});

describe('the end of preloaded tools in the first request', () => {
  const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
  const long = { ...mark, ttl: '1h' };
  const marked = user([text('a', { cache_control: long })]);
  const marksOf = (messages: readonly object[], form: PreloadForm, more: object = {}) => {
    const past = { hiddenTurns: [], rounds: [] };
    const bytes = anthropicMessages.editing.editRequest(requestOf(messages, more), planBy(form), past);
    const sent = (JSON.parse(new TextDecoder().decode(bytes)) as { messages: { content: unknown }[] })
      .messages;
    return sent.map(({ content }) =>
      (Array.isArray(content) ? content : []).map(({ cache_control }) => cache_control),
    );
  };

  test.each<[PreloadForm, unknown]>([
    ['change', [[long], [undefined, long]]],
    ['search', [[long], [undefined], [long]]],
  ])('is marked like the message before it: %s', (form, marks) => {
    expect(marksOf([marked], form)).toEqual(marks);
  });

  test('is not marked where the client marks no message, or has no mark left', () => {
    expect(marksOf([user([text('a')])], 'search', { system: [text('s', { cache_control: mark })] })).toEqual([
      [undefined],
      [undefined],
      [undefined],
    ]);
    const system = ['s', 't', 'u'].map((words) => text(words, { cache_control: long }));
    expect(marksOf([marked], 'search', { system }).at(-1)).toEqual([undefined]);
    expect(marksOf([marked], 'search', { system: system.slice(1) }).at(-1)).toEqual([long]);
  });

  test('is not marked in later requests, whose marks are further on', () => {
    const later = [marked, { role: 'assistant', content: 'Hm.' }, user([text('b', { cache_control: long })])];
    expect(marksOf(later, 'search')).toEqual([[long], [undefined], [undefined], [], [long]]);
  });
});

describe('the last cache mark of a hidden round', () => {
  const text = (words: string, more: object = {}) => ({ type: 'text', text: words, ...more });
  const searches = [{ id: 'toolu_1', name: 'gateway_search_tools', queries: ['mail'] }];
  const call = { type: 'tool_use', id: 'toolu_1', name: 'gateway_search_tools', input: { query: 'mail' } };
  const turn = { message: JSON.stringify({ role: 'assistant', content: [call] }), realCalls: [], searches };
  const round = (callId: string): Round => ({
    turn,
    results: [{ callId, kind: 'found', tools: [{ name: 'mail_send', description: '' }] }],
  });
  const marksIn = (messages: readonly unknown[]) =>
    messages.map((message) => [...JSON.stringify(message).matchAll(/"cache_control"/g)].length);

  const sent = (
    messages: readonly object[],
    rounds: readonly Round[],
    loadMode: 'native' | 'swap' = 'native',
  ) => {
    const plan = planOf(loadMode, ['mail_send', 'mail_list']);
    const bytes = anthropicMessages.editing.editRequest(requestOf(messages), plan, {
      hiddenTurns: [],
      rounds,
    });
    return (JSON.parse(new TextDecoder().decode(bytes)) as { messages: unknown[] }).messages;
  };
  const marked = [
    user([text('a', { cache_control: mark }), text('b')]),
    { role: 'assistant', content: 'Hm.' },
    user([text('c'), text('d', { cache_control: { ...mark, ttl: '1h' } })]),
  ];

  test('moves to its end, as the client wrote it, and no other mark moves', () => {
    const messages = sent(marked, [round('toolu_1'), round('toolu_1')]);
    expect(marksIn(messages)).toEqual([1, 0, 0, 0, 0, 0, 1]);
    expect(messages.at(-1)).toMatchObject({ content: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }] });
    expect(messages[2]).toEqual(user([text('c'), text('d')]));
  });

  test('stays where tools are swapped, and where there is no round', () => {
    expect(marksIn(sent(marked, []))).toEqual([1, 0, 1]);
    expect(marksIn(sent(marked, [round('toolu_1')], 'swap'))).toEqual([1, 0, 1, 0, 0]);
    expect(marksIn(sent([user()], [round('toolu_1')]))).toEqual([0, 0, 0]);
  });
});

describe('a tool that several results find', () => {
  const search = (id: string) => ({
    type: 'tool_use',
    id,
    name: 'gateway_search_tools',
    input: { query: 'mail' },
  });
  const roundOf = (id: string, names: readonly string[]): Round => ({
    turn: {
      message: JSON.stringify({ role: 'assistant', content: [search(id)] }),
      searches: [{ id, name: 'gateway_search_tools', queries: ['mail'] }],
      realCalls: [],
    },
    results: [{ callId: id, kind: 'found', tools: names.map((name) => ({ name, description: '' })) }],
  });
  const rounds = [roundOf('one', ['mail_list', 'kept']), roundOf('two', ['kept', 'mail_list'])];
  const referredIn = (message: unknown) =>
    JSON.stringify(message)
      .match(/"tool_name":"\w+"/g)
      ?.map((reference) => reference.split('"')[3]);

  test.each(['change', 'search'] as const)('is referred to once, and named again, after %s', (form) => {
    const messages = messagesOf([user()], form, rounds);
    expect(messages.slice(-4).map(referredIn)).toEqual([undefined, ['kept'], undefined, undefined]);
    expect(JSON.stringify(messages.at(-1))).toContain(
      'Can be called now, the best match first: kept, mail_list.',
    );
  });

  test('is referred to again where the provider may clear results', () => {
    const view = requestOf([user()], { context_management: { edits: [] } });
    const edited = anthropicMessages.editing.editRequest(view, planBy('search'), { hiddenTurns: [], rounds });
    const { messages } = JSON.parse(new TextDecoder().decode(edited)) as { messages: unknown[] };
    expect(referredIn(messages.at(-1))).toEqual(['kept', 'mail_list']);
  });
});
