import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { visibleForm } from '../../src/anthropic-messages/turns.ts';
import type { HiddenTurn, LoadMode, Round, SearchResult } from '../../src/format/view.ts';
import { PLAN, planOf, play, streamOf, VIEW, viewOf } from './exchange.ts';

const TOOLS = ['clock_now', 'weather_get', 'mail_send'].map((name) => ({
  name,
  input_schema: { type: 'object' },
}));
const QUESTION = { role: 'user', content: 'What is the weather?' };

const found = (callId: string, ...names: string[]): SearchResult => ({
  callId,
  kind: 'found',
  tools: names.map((name) => ({ name, description: `Does ${name}.` })),
});

/** Returns the rounds of hand-written responses; every search finds `weather_get`. */
function roundsOf(...names: string[]): Round[] {
  return play(...names.map((name) => streamOf(name))).ends.map((end) => {
    if (end.kind === 'failed') throw new Error(end.message);
    return { turn: end.turn, results: end.turn.searches.map(({ id }) => found(id, 'weather_get')) };
  });
}

function hiddenTurnOf(...names: string[]): HiddenTurn {
  return JSON.parse(
    JSON.stringify(anthropicMessages.remembering.hideTurn(VIEW, roundsOf(...names))),
  ) as HiddenTurn;
}

interface EditOptions {
  readonly hiddenTurns: readonly HiddenTurn[];
  readonly loadMode?: Exclude<LoadMode, 'bridge'>;
  readonly tools?: readonly object[];
}

/** Returns the messages that go upstream, each as JSON text. */
function edited(
  messages: readonly unknown[],
  { hiddenTurns, loadMode = 'swap', tools = TOOLS }: EditOptions,
) {
  const view = viewOf({ model: 'm', max_tokens: 1, tools, messages });
  const plan = planOf(loadMode, ['weather_get'], ['weather_get']);
  const bytes = anthropicMessages.editing.editRequest(view, plan, { hiddenTurns, rounds: [] });
  const { messages: sent } = JSON.parse(new TextDecoder().decode(bytes)) as { messages: unknown[] };
  return sent.map((message) => JSON.stringify(message));
}

const thought = (signature: string, text: string) => ({ type: 'thinking', thinking: text, signature });
const SEARCH_THOUGHT = thought(
  'EqQBCgIYAhIkc2VhcmNoLXNpZ25hdHVyZQ==',
  'No weather tool is visible; I search.',
);
const CALL_THOUGHT = thought('EqQBCgIYAhIkY2FsbC1zaWduYXR1cmU+/w==', 'The user wants the weather.');
const SEARCH_TEXT = { type: 'text', text: 'One moment. ' };
const CALL_TEXT = { type: 'text', text: 'Let me look.' };
const WEATHER_CALL = {
  type: 'tool_use',
  id: 'toolu_01Weather',
  name: 'weather_get',
  input: { city: 'Zürich', days: 12345678901234567890n as unknown },
};
// The long number after a client has parsed and written it.
const CALL = { ...WEATHER_CALL, input: { city: 'Zürich', days: Number('12345678901234567890') } };

/** The client's view of a search and the call that followed. */
const SEEN = [SEARCH_THOUGHT, SEARCH_TEXT, CALL_TEXT, CALL];
/** The same for clients of versions that showed the thinking of all rounds. */
const SEEN_BEFORE = [SEARCH_THOUGHT, SEARCH_TEXT, CALL_THOUGHT, CALL_TEXT, CALL];
const RESULT = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'toolu_01Weather', content: 'sunny' }],
};
const history = (content: unknown) => [QUESTION, { role: 'assistant', content }, RESULT];

describe('a hidden search', () => {
  const hidden = hiddenTurnOf('thinking-search', 'thinking-call');

  test('is put back in its place, with its original thinking and signatures', () => {
    const sent = edited(history(SEEN), { hiddenTurns: [hidden] });
    expect(sent).toHaveLength(5);
    expect(JSON.parse(sent[1]!)).toEqual({
      role: 'assistant',
      content: [
        SEARCH_THOUGHT,
        SEARCH_TEXT,
        {
          type: 'tool_use',
          id: 'toolu_01Search',
          name: 'gateway_search_tools',
          input: { query: 'weather forecast' },
          caller: { type: 'direct' },
        },
      ],
    });
    expect(JSON.parse(sent[2]!)).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_01Search',
          // The text comes from this request, whose tool has no description.
          content: 'These tools can be called now, the best match first:\n- weather_get',
        },
      ],
    });
    expect(sent[3]).toContain('"signature":"EqQBCgIYAhIkY2FsbC1zaWduYXR1cmU+/w=="');
    expect(JSON.parse(sent[4]!)).toEqual(RESULT);
  });

  test('of a version that showed the thinking of all rounds is put back as well', () => {
    const visible = visibleForm(SEEN_BEFORE);
    const messages = edited(history(SEEN_BEFORE), { hiddenTurns: [{ ...hidden, visible }] });
    expect(messages).toEqual(edited(history(SEEN), { hiddenTurns: [hidden] }));
  });

  test('is put back in the bytes that the upstream sent', () => {
    const view = viewOf({ tools: TOOLS, messages: history(SEEN) });
    const bytes = anthropicMessages.editing.editRequest(view, PLAN, { hiddenTurns: [hidden], rounds: [] });
    expect(new TextDecoder().decode(bytes)).toContain(
      '"input":{"city": "Zürich", "days": 12345678901234567890}',
    );
  });

  test.each<[string, unknown]>([
    ['cache marks', SEEN.map((block) => ({ ...block, cache_control: { type: 'ephemeral' } }))],
    [
      'callers and null fields',
      [...SEEN.slice(0, 3), { ...CALL, caller: { type: 'direct' }, toolset_name: null }],
    ],
    ['trimmed texts', [SEARCH_THOUGHT, { type: 'text', text: 'One moment.' }, CALL_TEXT, CALL]],
    [
      'the members of an input in another order',
      [...SEEN.slice(0, 3), { ...CALL, input: flipped(CALL.input) }],
    ],
  ])('is put back although the client sends %s', (_, content) => {
    expect(edited(history(content), { hiddenTurns: [hidden] })).toHaveLength(5);
  });

  test.each<[string, unknown]>([
    ['another text', [SEARCH_THOUGHT, SEARCH_TEXT, { type: 'text', text: 'No.' }, CALL]],
    ['another input', [...SEEN.slice(0, 3), { ...CALL, input: { city: 'Bern' } }]],
    ['another signature', [{ ...SEARCH_THOUGHT, signature: 'x' }, SEARCH_TEXT, CALL_TEXT, CALL]],
    ['thinking that it has not seen', [SEARCH_TEXT, CALL_THOUGHT, CALL_TEXT, CALL]],
    ['the call alone', [CALL]],
  ])('is left out when the client sends %s', (_, content) => {
    const messages = history(content);
    expect(edited(messages, { hiddenTurns: [hidden] })).toEqual(
      messages.map((message) => JSON.stringify(message)),
    );
  });

  test('is put back without its thinking when the client sends none', () => {
    for (const content of [
      [SEARCH_TEXT, CALL_TEXT, CALL],
      [{ type: 'text', text: 'One moment. Let me look.' }, CALL],
    ]) {
      const sent = edited(history(content), { hiddenTurns: [hidden] });
      const typesIn = (message: string) =>
        (JSON.parse(message) as { content: { type: string }[] }).content.map(({ type }) => type);
      expect([typesIn(sent[1]!), typesIn(sent[3]!)]).toEqual([
        ['text', 'tool_use'],
        ['text', 'tool_use'],
      ]);
    }
  });

  test('keeps the mark of the last block', () => {
    const marked = [...SEEN.slice(0, 3), { ...CALL, cache_control: { type: 'ephemeral', ttl: '1h' } }];
    const sent = edited(history(marked), { hiddenTurns: [hidden] });
    expect(sent[3]).toContain('"caller":{"type":"direct"},"cache_control":{"type":"ephemeral","ttl":"1h"}}]');
    expect(sent.join().match(/cache_control/g)).toHaveLength(1);
  });

  test('of another format is ignored', () => {
    const foreign = { ...hidden, format: 'openai-chat' };
    expect(edited(history(SEEN), { hiddenTurns: [foreign] })).toHaveLength(3);
  });
});

describe('a search next to a call', () => {
  const hidden = hiddenTurnOf('search-with-call');
  const seen = [
    thought('EqQBbWl4ZWQ=', 'Both at once.'),
    { type: 'tool_use', id: 'toolu_01BesideCall', name: 'weather_get', input: { city: 'Oslo' } },
  ];
  const result = { type: 'tool_result', tool_use_id: 'toolu_01BesideCall', content: 'rain' };
  const turn = (...messages: object[]) => [QUESTION, { role: 'assistant', content: seen }, ...messages];

  test('returns with its result before the others', () => {
    const [, assistant, user] = edited(
      turn({ role: 'user', content: [result, { type: 'text', text: 'Well?' }] }),
      { hiddenTurns: [hidden] },
    ).map(
      (message) => JSON.parse(message) as { content: { id: string; tool_use_id: string; type: string }[] },
    );
    expect(assistant!.content.map(({ id }) => id)).toEqual([
      undefined,
      'toolu_01BesideSearch',
      'toolu_01BesideCall',
    ]);
    expect(user!.content.map(({ type, tool_use_id }) => [type, tool_use_id])).toEqual([
      ['tool_result', 'toolu_01BesideSearch'],
      ['tool_result', 'toolu_01BesideCall'],
      ['text', undefined],
    ]);
  });

  test.each([
    ['is no answer', []],
    ['has plain text', [{ role: 'user', content: 'Stop.' }]],
    ['has nothing', [{ role: 'user', content: [] }]],
    ['is of the assistant', [{ role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] }]],
  ])('stays hidden when the next message %s', (_, messages) => {
    const sent = edited(turn(...messages), { hiddenTurns: [hidden] });
    expect(sent).toEqual(turn(...messages).map((message) => JSON.stringify(message)));
  });

  test('without an answer does not return', () => {
    const rounds = roundsOf('thinking-search', 'search-with-call');
    const last = { turn: rounds[1]!.turn, results: [] };
    const unanswered = anthropicMessages.remembering.hideTurn(VIEW, [rounds[0]!, last])!;
    expect(unanswered.message).not.toContain('toolu_01BesideSearch');
    expect(unanswered.message).toContain('toolu_01BesideCall');
  });
});

describe('a turn that ends in text', () => {
  const hidden = hiddenTurnOf('thinking-search', 'text');
  const text = { type: 'text', text: 'Grüße aus 東京 👩‍💻 — fin.\n' };
  const seen = { role: 'assistant', content: [SEARCH_THOUGHT, SEARCH_TEXT, text] };
  const next = { role: 'user', content: 'Thanks.' };

  test('is identified by its text and the text that it answers', () => {
    expect(edited([QUESTION, seen, next], { hiddenTurns: [hidden] })).toHaveLength(5);
    const asBlocks = {
      role: 'user',
      content: [{ ...textOf(QUESTION), cache_control: { type: 'ephemeral' } }],
    };
    expect(edited([asBlocks, seen, next], { hiddenTurns: [hidden] })).toHaveLength(5);
  });

  test('is identified without its thinking', () => {
    const sent = edited([QUESTION, { role: 'assistant', content: [SEARCH_TEXT, text] }, next], {
      hiddenTurns: [hidden],
    });
    expect(sent).toHaveLength(5);
    expect(sent.join()).not.toContain('signature');
  });

  test('is a different one in another conversation, unless its thinking is the same', () => {
    const other = { role: 'user', content: 'And tomorrow?' };
    const spoken = { role: 'assistant', content: [SEARCH_TEXT, text] };
    expect(edited([other, spoken, next], { hiddenTurns: [hidden] })).toHaveLength(3);
    expect(edited([other, seen, next], { hiddenTurns: [hidden] })).toHaveLength(5);
    expect(edited([QUESTION, spoken, other, spoken, next], { hiddenTurns: [hidden] })).toHaveLength(7);
  });

  test('is put back once, at its first place, because ids of calls are unique', () => {
    const sent = edited([QUESTION, seen, QUESTION, seen, next], { hiddenTurns: [hidden] });
    expect(sent).toHaveLength(7);
    expect(sent[1]).toContain('tool_use');
  });

  test('is not taken for another one when two have its key', () => {
    const second = JSON.parse(JSON.stringify(hidden).replaceAll('toolu_', 'toolu_second_')) as HiddenTurn;
    const foreign = { ...second, keys: { ...second.keys, conversation: undefined } };
    expect(edited([QUESTION, seen, next], { hiddenTurns: [foreign] })).toHaveLength(5);
    const sent = edited([QUESTION, seen, next], { hiddenTurns: [hidden, foreign] });
    // Its place in the conversation still identifies it.
    expect(sent.join()).not.toContain('toolu_second_');
    expect(sent).toHaveLength(5);
  });

  test('may be plain text to the client', () => {
    const plain = hiddenTurnOf('search-whole-input', 'text');
    const said = { role: 'assistant', content: 'Grüße aus 東京 👩‍💻 — fin.' };
    expect(edited([QUESTION, said, next], { hiddenTurns: [plain] })).toHaveLength(5);
  });
});

describe('the result of a search', () => {
  const hidden = hiddenTurnOf('thinking-search', 'thinking-call');
  const contentOf = (sent: readonly string[]) =>
    (JSON.parse(sent[2]!) as { content: { content: unknown }[] }).content[0]!.content;

  test('is shown by reference in native mode, with one line of text', () => {
    expect(contentOf(edited(history(SEEN), { hiddenTurns: [hidden], loadMode: 'native' }))).toEqual([
      { type: 'tool_reference', tool_name: 'weather_get' },
      { type: 'text', text: 'Can be called now, the best match first: weather_get.' },
    ]);
  });

  test('has no reference to a tool that the client has removed', () => {
    const sent = edited(history(SEEN), { hiddenTurns: [hidden], loadMode: 'native', tools: [TOOLS[0]!] });
    expect(contentOf(sent)).toBe(
      'No tool matches this search. Go on with the tools that you have, or tell the user that no tool here does this, rather than search for it again.',
    );
  });

  test.each<[SearchResult, unknown]>([
    [
      { callId: 'toolu_01Search', kind: 'no_match', tools: [] },
      {
        content:
          'No tool matches this search. Go on with the tools that you have, or tell the user that no tool here does this, rather than search for it again.',
        is_error: true,
      },
    ],
    [
      {
        callId: 'toolu_01Search',
        kind: 'weak',
        tools: found('', 'mail_send').tools,
        unknownWords: ['fax'],
      },
      { content: expect.stringMatching(/^No tool clearly matches[\s\S]*- mail_send[\s\S]*contains: fax\./) },
    ],
    [
      {
        callId: 'toolu_01Search',
        kind: 'restored',
        tools: found('', 'mail_send', 'clock_now', 'mail_send').tools,
      },
      {
        content: [
          { type: 'tool_reference', tool_name: 'mail_send' },
          { type: 'tool_reference', tool_name: 'clock_now' },
          { type: 'text', text: 'All tools can be called now. Call the one that you need.' },
        ],
      },
    ],
    [
      { callId: 'toolu_01Search', kind: 'limit', tools: found('', 'mail_send').tools },
      {
        content: [
          { type: 'tool_reference', tool_name: 'mail_send' },
          {
            type: 'text',
            text: 'No further searches are possible. Call the tools that you have, or answer without one.',
          },
        ],
      },
    ],
    [
      { callId: 'toolu_01Search', kind: 'answered', tools: [], text: 'No such tool.', isError: true },
      { content: 'No such tool.', is_error: true },
    ],
  ])('is told within the exchange: %j', (result, expected) => {
    const [{ turn }] = roundsOf('thinking-search') as [Round];
    const view = viewOf({ tools: TOOLS, messages: [QUESTION] });
    const past = { hiddenTurns: [], rounds: [{ turn, results: [result] }] };
    const bytes = anthropicMessages.editing.editRequest(
      view,
      planOf('native', ['weather_get', 'mail_send']),
      past,
    );
    const { messages } = JSON.parse(new TextDecoder().decode(bytes)) as {
      messages: { content: unknown[] }[];
    };
    expect(messages).toHaveLength(3);
    expect(messages[2]).toEqual({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_01Search', ...(expected as object) }],
    });
  });
});

test('an exchange is not kept without a search, or if the client saw none of it', () => {
  expect(anthropicMessages.remembering.hideTurn(VIEW, roundsOf('thinking-call'))).toBeUndefined();
  expect(anthropicMessages.remembering.hideTurn(VIEW, roundsOf('max-tokens-in-search'))).toBeUndefined();
  expect(anthropicMessages.remembering.hideTurn(VIEW, roundsOf('search-whole-input'))).toBeUndefined();
  expect(anthropicMessages.remembering.hideTurn(VIEW, [])).toBeUndefined();
});

test('a search that was cut off leaves no empty message behind', () => {
  const cut = streamOf('max-tokens-in-search').replace('Let me ', ' ');
  const [search, end] = play(streamOf('thinking-search'), cut).ends;
  if (search?.kind !== 'searching' || end?.kind !== 'finished') throw new Error('not as written');
  const results = [found('toolu_01Search', 'weather_get')];
  const hidden = anthropicMessages.remembering.hideTurn(VIEW, [
    { turn: search.turn, results },
    { turn: end.turn, results: [] },
  ])!;
  const seen = { role: 'assistant', content: [SEARCH_THOUGHT, SEARCH_TEXT] };
  const sent = edited([QUESTION, seen, { role: 'user', content: 'Go on.' }], { hiddenTurns: [hidden] });
  expect(sent.map((message) => (JSON.parse(message) as { role: string }).role)).toEqual([
    'user',
    'assistant',
    'user',
    'user',
  ]);
});

function flipped(object: object): object {
  return Object.fromEntries(Object.entries(object).reverse());
}

function textOf({ content }: { content: string }) {
  return { type: 'text', text: content };
}

describe('thinking around a lost hidden turn', () => {
  const BUDGET = { type: 'enabled', budget_tokens: 1024 };
  const ADAPTIVE = { type: 'adaptive' };
  const later = { role: 'assistant', content: [thought('c2ln', 'It rains.'), CALL_TEXT] };
  const thoughtAlone = { role: 'assistant', content: [thought('c2ln', 'Hm.')] };
  const messages = [...history(SEEN_BEFORE), later, QUESTION, thoughtAlone, QUESTION];
  const viewWith = (thinking: object, some: readonly unknown[] = messages) =>
    viewOf({ model: 'm', max_tokens: 1, tools: TOOLS, thinking, messages: some });
  const mended = (thinking: object, hiddenTurns: readonly HiddenTurn[] = []) => {
    const past = { hiddenTurns, rounds: [], dropsThinking: true };
    const bytes = anthropicMessages.editing.editRequest(viewWith(thinking), PLAN, past);
    return (JSON.parse(new TextDecoder().decode(bytes)) as { messages: unknown[] }).messages;
  };
  const holds = (thinking: object, ...answers: object[]) =>
    anthropicMessages.capabilities.thinking!.holdsThinking(
      viewWith(thinking, [QUESTION, ...answers, QUESTION]),
    );

  test('is removed, and nothing else; a message with only thinking stays', () => {
    const spliced = { role: 'assistant', content: [SEARCH_TEXT, CALL_TEXT, CALL] };
    const spoken = { role: 'assistant', content: [CALL_TEXT] };
    expect(mended(ADAPTIVE)).toEqual([QUESTION, spliced, RESULT, spoken, QUESTION, thoughtAlone, QUESTION]);
  });

  test('goes but for the first block of each message where the provider insists on one', () => {
    const spliced = { role: 'assistant', content: [SEARCH_THOUGHT, SEARCH_TEXT, CALL_TEXT, CALL] };
    expect(mended(BUDGET)).toEqual([QUESTION, spliced, ...messages.slice(2)]);
  });

  test('goes from turns that are put back as well, as tools have changed that it was bound to', () => {
    const hidden = hiddenTurnOf('thinking-search', 'thinking-call');
    const sent = mended(ADAPTIVE, [{ ...hidden, visible: visibleForm(SEEN_BEFORE) }]);
    expect(sent).toHaveLength(messages.length + 2);
    expect(JSON.stringify(sent.slice(0, -3))).not.toContain('signature');
    expect(JSON.stringify(sent)).toContain('toolu_01Search');
  });

  test('counts as held from one block for models that bind it, and from two blocks in one message for others', () => {
    expect(holds(ADAPTIVE, later)).toBe(true);
    expect(holds(ADAPTIVE, { role: 'assistant', content: [CALL_TEXT] })).toBe(false);
    expect(holds(BUDGET, later)).toBe(false);
    expect(holds(BUDGET, { role: 'assistant', content: [SEARCH_THOUGHT, CALL_THOUGHT, CALL_TEXT] })).toBe(
      true,
    );
  });
});
