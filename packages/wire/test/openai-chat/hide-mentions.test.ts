import { describe, expect, test } from 'vitest';
import { json } from '../../src/framing/framings.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf, runExchange, viewOf } from '../run-exchange.ts';
import { chunk, chunksOf, stop, streamChunks } from './chat-exchange.ts';

const tokens = {
  content: [
    { token: 'gateway', logprob: -1 },
    { token: '_search', logprob: -1 },
  ],
};
const entry = { index: 0, id: 's', type: 'function', function: { name: SEARCH, arguments: '{}' } };
const said = chunk({ content: `I use ${SEARCH}.` });

/** A chunk whose choice has more members. */
function withChoice(delta: object, more: object): object {
  return { ...chunk(delta), choices: [{ index: 0, delta, ...more }] };
}

describe('the search tool stays hidden', () => {
  test('in the probabilities of a chunk that carries a search, or its tokens alone', () => {
    const search = withChoice(
      { role: 'assistant', content: 'Hm.', tool_calls: [entry] },
      { logprobs: tokens },
    );
    const alone = withChoice({ content: '' }, { logprobs: tokens });
    const { text } = streamChunks([
      [search, alone, stop()],
      [said, stop('stop')],
    ]);
    expect(text).toContain('"logprobs":null');
    expect(text).not.toContain('_search"');
  });

  test('in probabilities and echoes that have its name, while the model may speak of it', () => {
    const named = { content: [{ token: SEARCH }] };
    const echo = {
      ...withChoice({ content: 'Hi.' }, { logprobs: named, matched: SEARCH }),
      tool_choice: SEARCH,
    };
    const sent = chunksOf(streamChunks([[echo, said, stop('stop')]]));
    expect(sent).toEqual([withChoice({ content: 'Hi.' }, { logprobs: null }), said, stop('stop')]);
  });

  test('in a whole response', () => {
    const view = viewOf(openaiChat, '{"model":"m","messages":[],"tools":[]}');
    const real = { id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } };
    const message = { role: 'assistant', content: 'Hi.', tool_calls: [entry, real] };
    const choices = [{ message, logprobs: tokens, finish_reason: 'tool_calls' }];
    const whole = JSON.stringify({ id: 'c', tools: [{ name: SEARCH }], choices });
    const { text } = runExchange(openaiChat, view, [{ stream: '', whole }], planOf(['weather_get']), json);
    expect(text).not.toContain(SEARCH);
    expect(JSON.parse(text).choices).toMatchObject([
      { logprobs: null, message: { tool_calls: [{ id: 'a' }] } },
    ]);
    expect(JSON.parse(text)).not.toHaveProperty('tools');
  });
});
