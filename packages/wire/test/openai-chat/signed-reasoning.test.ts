import { describe, expect, test } from 'vitest';
import type { HiddenTurn } from '../../src/format/view.ts';
import { json } from '../../src/framing/framings.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf, runExchange, viewOf } from '../run-exchange.ts';
import { calls, chunk, chunksOf, search, stop, streamChunks } from './chat-exchange.ts';

type Block = Readonly<Record<string, unknown>>;
type Message = Record<string, unknown>;

const question = { role: 'user', content: 'Weather?' };
const real = (extra = {}) =>
  calls({
    index: 0,
    id: 'call_real',
    type: 'function',
    function: { name: 'one', arguments: '{"x":1}' },
    ...extra,
  });

/** A server's way to stream reasoning that it checks: deltas of one text, and the block that it wants back. */
interface Dialect {
  readonly field: string;
  deltas(text: string): readonly Message[];
  block(text: string): Block | undefined;
}

const openRouter = (type: string, key: string, more = {}): Dialect => ({
  field: 'reasoning_details',
  deltas: (text) => [
    { reasoning: text[0], reasoning_details: [{ type, [key]: text[0], index: 0, ...more }] },
    { reasoning: text.slice(1), reasoning_details: [{ type, [key]: text.slice(1), index: 0, ...more }] },
    { reasoning_details: [{ type, signature: `SIG(${text})`, index: 0, ...more }] },
  ],
  block: (text) => ({ type, [key]: text, signature: `SIG(${text})`, index: 0, ...more }),
});

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'OpenRouter, text': openRouter('reasoning.text', 'text', { format: 'anthropic-claude-v1' }),
  'OpenRouter, text without a format': openRouter('reasoning.text', 'text'),
  'OpenRouter, encrypted': {
    field: 'reasoning_details',
    deltas: (text) => [
      { reasoning_details: [{ type: 'reasoning.summary', summary: text, id: `rs_${text}`, index: 0 }] },
      {
        reasoning_details: [
          { type: 'reasoning.encrypted', data: `SIG(${text})`, id: `rs_${text}`, index: 0 },
        ],
      },
    ],
    block: () => undefined,
  },
  'LiteLLM, signature in a piece of its own': {
    field: 'thinking_blocks',
    deltas: (text) => [
      {
        reasoning_content: text[0],
        thinking_blocks: [{ type: 'thinking', thinking: text[0], signature: '' }],
      },
      {
        reasoning_content: text.slice(1),
        thinking_blocks: [{ type: 'thinking', thinking: text.slice(1), signature: null }],
      },
      { thinking_blocks: [{ type: 'thinking', thinking: '', signature: `SIG(${text})` }] },
    ],
    block: (text) => ({ type: 'thinking', thinking: text, signature: `SIG(${text})` }),
  },
  'LiteLLM, numbered': {
    field: 'thinking_blocks',
    deltas: (text) => [
      { thinking_blocks: [{ type: 'thinking', thinking: text, index: 0 }] },
      { thinking_blocks: [{ type: 'thinking', thinking: null, signature: `SIG(${text})`, index: 0 }] },
    ],
    block: (text) => ({ type: 'thinking', thinking: text, signature: `SIG(${text})` }),
  },
  'one block for each delta': {
    field: 'thoughts',
    deltas: (text) => [{ thoughts: [{ type: 'thought', text, signature: `SIG(${text})` }] }],
    block: (text) => ({ type: 'thought', text, signature: `SIG(${text})` }),
  },
};

/** The ways in which clients join lists of deltas. */
const JOINERS: Readonly<Record<string, (blocks: readonly Block[]) => readonly Block[]>> = {
  'by index': (blocks) => join(blocks, (one, other) => one.index === other.index),
  'neighbours of one type': (blocks) =>
    join(blocks, (one, other, isLast) => isLast && one.type === other.type),
  'by type': (blocks) => join(blocks, (one, other) => one.type === other.type),
};

function join(
  blocks: readonly Block[],
  belongs: (one: Block, other: Block, isLast: boolean) => boolean,
): readonly Block[] {
  const joined: Record<string, unknown>[] = [];
  for (const block of blocks) {
    const at = joined.findLastIndex((one, position) => belongs(one, block, position === joined.length - 1));
    if (at === -1) joined.push({ ...block });
    else {
      for (const key of ['text', 'thinking', 'summary'] as const) {
        if (typeof block[key] === 'string') joined[at]![key] = `${joined[at]![key] ?? ''}${block[key]}`;
      }
      for (const key of ['signature', 'data'] as const) {
        if (block[key]) joined[at]![key] = `${joined[at]![key] || ''}${block[key]}`;
      }
    }
  }
  return joined;
}

/** Whether every signature in a message is that of its own text. */
function verifies(block: Block): boolean {
  const text = block.text ?? block.thinking;
  const signature = String(block.signature ?? block.data ?? '');
  return (text === undefined || signature === `SIG(${text})`) && signature.lastIndexOf('SIG') <= 0;
}

const rounds = ({ deltas }: Dialect) => [
  [...deltas('Look.').map((delta) => chunk(delta)), chunk({ content: 'Let me look.' }), search(), stop()],
  [...deltas('Call.').map((delta) => chunk(delta)), real(), stop()],
];

function blocksOf(run: ReturnType<typeof streamChunks>, field: string): Block[] {
  return chunksOf(run).flatMap(({ choices }) => (choices[0]?.delta[field] as Block[] | undefined) ?? []);
}

function hide(run: ReturnType<typeof streamChunks>): HiddenTurn {
  return openaiChat.remembering.hideTurn(
    viewOf(openaiChat, JSON.stringify({ messages: [question] })),
    run.rounds,
  )!;
}

function putBack(hidden: HiddenTurn, copy: object): Message[] {
  const view = viewOf(openaiChat, JSON.stringify({ messages: [question, copy] }));
  const plan = { ...planOf([]), searchTool: undefined };
  const bytes = openaiChat.editing.editRequest(view, plan, { hiddenTurns: [hidden], rounds: [] });
  return JSON.parse(new TextDecoder().decode(bytes)).messages;
}

const call = { id: 'call_real', type: 'function', function: { name: 'one', arguments: '{"x":1}' } };

describe.each(Object.entries(DIALECTS))('signed reasoning of %s', (_, dialect) => {
  const run = streamChunks(rounds(dialect));

  test.each(Object.entries(JOINERS))('verifies where a client joins it %s', (_joiner, joinBlocks) => {
    const blocks = joinBlocks(blocksOf(run, dialect.field));
    expect(blocks.length).toBeGreaterThan(0);
    expect(blocks.filter((block) => !verifies(block))).toEqual([]);
  });

  test.each(Object.entries(JOINERS))(
    'is restored whatever a client made of it, %s',
    (_joiner, joinBlocks) => {
      const copy = {
        role: 'assistant',
        content: 'Let me look.',
        [dialect.field]: joinBlocks(blocksOf(run, dialect.field)),
        tool_calls: [call],
      };
      const messages = putBack(hide(run), copy);
      const [, first, , last] = messages as [Message, Message, Message, Message];
      const expected = dialect.block('Look.');
      if (expected !== undefined) {
        expect(first[dialect.field]).toEqual([expected]);
        expect(last[dialect.field]).toEqual([dialect.block('Call.')]);
      }
      for (const message of [first, last]) {
        expect((message[dialect.field] as Block[]).filter((block) => !verifies(block))).toEqual([]);
      }
    },
  );

  test('of a response without a search passes to the byte', () => {
    const [, plain] = rounds(dialect);
    expect(streamChunks([plain!]).text).toBe(
      [...plain!, '[DONE]']
        .map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`)
        .join(''),
    );
  });

  test('of whole responses is that of one of them', () => {
    const whole = (text: string, tool_calls: readonly object[]) =>
      JSON.stringify({
        id: 'c',
        choices: [
          {
            message: {
              role: 'assistant',
              content: null,
              [dialect.field]: [
                dialect.block(text) ?? {
                  type: 'reasoning.encrypted',
                  data: `SIG(${text})`,
                  id: `rs_${text}`,
                },
              ],
              tool_calls,
            },
            finish_reason: 'tool_calls',
          },
        ],
      });
    const found = { id: 's', type: 'function', function: { name: SEARCH, arguments: '{"query":"x"}' } };
    const view = viewOf(openaiChat, '{"model":"m","messages":[],"tools":[]}');
    const bodies = [whole('Look.', [found]), whole('Call.', [call])].map((body) => ({
      stream: '',
      whole: body,
    }));
    const { text } = runExchange(openaiChat, view, bodies, planOf(['weather_get']), json);
    const { message } = JSON.parse(text).choices[0];
    expect(message[dialect.field]).toHaveLength(1);
    expect(message[dialect.field].every(verifies)).toBe(true);
  });
});

test('reasoning that is signed by a text of its own is that of one round', () => {
  const signed = (text: string) => [
    chunk({ reasoning_text: text }),
    chunk({ reasoning_opaque: `SIG(${text})` }),
  ];
  const run = streamChunks([
    [...signed('Look.'), search(), stop()],
    [...signed('Call.'), real(), stop()],
  ]);
  const texts = (field: string) =>
    chunksOf(run)
      .map(({ choices }) => choices[0]?.delta[field] ?? '')
      .join('');
  expect([texts('reasoning_text'), texts('reasoning_opaque')]).toEqual(['Look.', 'SIG(Look.)']);
});

test.each(['reasoning_content', 'reasoning', 'reasoning_text'])(
  'plain reasoning of all rounds reaches the client: %s',
  (field) => {
    const run = streamChunks([
      [chunk({ [field]: 'Look.' }), search(), stop()],
      [chunk({ [field]: 'Call.' }), real(), stop()],
    ]);
    expect(
      chunksOf(run)
        .map(({ choices }) => choices[0]?.delta[field] ?? '')
        .join(''),
    ).toBe('Look.Call.');
  },
);

describe('a signature that belongs to a call', () => {
  const block = (id: string) => ({
    type: 'reasoning.encrypted',
    data: `SIG(${id})`,
    id,
    format: 'google-gemini-v1',
    index: 0,
  });
  const tied = (id: string) => chunk({ reasoning_details: [block(id)] });

  test('of a search does not reach the client, and that of a later call does', () => {
    const run = streamChunks([
      [tied('call_s'), search(), stop()],
      [tied('call_real'), real(), stop()],
    ]);
    expect(blocksOf(run, 'reasoning_details')).toEqual([block('call_real')]);
    expect(run.text).not.toContain('call_s');
    const copy = {
      role: 'assistant',
      content: null,
      reasoning_details: [block('call_real')],
      tool_calls: [call],
    };
    const [, first, , last] = putBack(hide(run), copy) as [Message, Message, Message, Message];
    expect([first.reasoning_details, last.reasoning_details]).toEqual([
      [block('call_s')],
      [block('call_real')],
    ]);
  });

  test('of a search in front of a real call goes to that call, and back', () => {
    const found = {
      index: 0,
      id: 'call_s',
      type: 'function',
      function: { name: SEARCH, arguments: '{"query":"x"}' },
    };
    const second = { ...call, index: 1 };
    const run = streamChunks([[tied('call_s'), calls(found), calls(second), stop()]]);
    expect(blocksOf(run, 'reasoning_details')).toEqual([{ ...block('call_s'), id: 'call_real' }]);
    const shown = [{ ...block('call_s'), id: 'call_real' }];
    const copy = { role: 'assistant', content: null, reasoning_details: shown, tool_calls: [call] };
    const [, restored] = putBack(hide(run), copy);
    expect(restored!.reasoning_details).toEqual([block('call_s')]);
  });

  test('at the call itself goes to the first one that the client sees, and back', () => {
    const extra_content = { google: { thought_signature: 'SIG' } };
    const found = {
      index: 0,
      id: 'call_s',
      type: 'function',
      function: { name: SEARCH, arguments: '{"query":"x"}' },
    };
    const run = streamChunks([[calls({ ...found, extra_content }), calls({ ...call, index: 1 }), stop()]]);
    const shown = chunksOf(run).flatMap(
      ({ choices }) => (choices[0]?.delta.tool_calls as Block[] | undefined) ?? [],
    );
    expect(shown).toEqual([{ ...call, index: 0, extra_content }]);
    const copy = { role: 'assistant', content: null, tool_calls: [{ ...call, extra_content }] };
    const [, restored] = putBack(hide(run), copy);
    expect(restored!.tool_calls).toEqual([
      { id: 'call_s', type: 'function', extra_content, function: found.function },
      call,
    ]);
  });
});
