import { describe, expect, test } from 'vitest';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { viewOf } from '../run-exchange.ts';
import { chunk, chunksOf, search, stop, streamChunks } from './chat-exchange.ts';

/** Parts of providers' streams that OpenAI's lack, seen in recorded responses. */

const role = chunk({ role: 'assistant', content: '' });

/** Returns the assistant message that goes back upstream. */
function messageOf(chunks: readonly unknown[]) {
  const { rounds } = streamChunks([chunks]);
  return JSON.parse(rounds[0]!.turn.message) as Record<string, unknown>;
}

describe('content that is a list of parts', () => {
  const thinking = (text: string) =>
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] });
  const text = (words: string) => chunk({ content: [{ type: 'text', text: words }] });

  test('keeps its parts when an empty text follows, as Mistral sends it', () => {
    const ending = chunk({ content: '' }, 'stop');
    expect(
      messageOf([role, thinking('The user '), thinking('asks.'), text('2 + 2 '), text('= 4'), ending]),
    ).toEqual({
      role: 'assistant',
      content: [
        {
          type: 'thinking',
          thinking: [
            { type: 'text', text: 'The user ' },
            { type: 'text', text: 'asks.' },
          ],
        },
        { type: 'text', text: '2 + 2 = 4' },
      ],
    });
  });

  test('continues with a text, and continues from one', () => {
    expect(messageOf([role, text('One, '), chunk({ content: 'two.' }), stop('stop')]).content).toEqual([
      { type: 'text', text: 'One, two.' },
    ]);
    expect(
      messageOf([chunk({ content: 'One, ' }), thinking('Hm.'), text('two.'), stop('stop')]).content,
    ).toEqual([
      { type: 'text', text: 'One, ' },
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'two.' },
    ]);
  });

  test('keeps parts apart that say more than their text', () => {
    const parts = [
      { type: 'text', text: 'a', annotations: [] },
      { type: 'text', text: 'b' },
    ];
    expect(
      messageOf([role, ...parts.map((part) => chunk({ content: [part] })), stop('stop')]).content,
    ).toEqual(parts);
  });
});

test('an index of a delta is no field of the message', () => {
  expect(messageOf([chunk({ index: 0, role: 'assistant', content: 'Hi.' }), stop('stop')])).toEqual({
    role: 'assistant',
    content: 'Hi.',
  });
});

test('usage that Groq repeats under its own name is joined like the other', () => {
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, queue_time: 0.5 };
  const ending = (reason: string) => ({ ...(stop(reason) as object), x_groq: { id: 'req_1', usage }, usage });
  const run = streamChunks(
    [
      [role, search(), ending('tool_calls')],
      [role, chunk({ content: 'Hi.' }), ending('stop')],
    ],
    { wantsUsage: true },
  );
  const shown = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, queue_time: 1 };
  expect(chunksOf(run).at(-1)).toMatchObject({ x_groq: { id: 'req_1', usage: shown }, usage: shown });
  expect(run.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
});

test('parts of a message are read as words of their own', () => {
  const content = ['open a pull', 'request'].map((text) => ({ type: 'text', text }));
  const view = viewOf(openaiChat, JSON.stringify({ messages: [{ role: 'user', content }] }));
  expect(view.query).toBe('open a pull request');
});
