import { describe, expect, test } from 'vitest';
import { json } from '../../src/framing/framings.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { SEARCH } from '../format-fixtures.ts';
import { encodeAll } from '../frames.ts';
import { planOf, runExchange, viewOf } from '../run-exchange.ts';
import { calls, chunk, chunksOf, search, stop, streamChunks } from './chat-exchange.ts';

const role = chunk({ role: 'assistant', content: '' });
const text = (content: string) => chunk({ content });
const usage = (prompt: number, completion: number, more: object = {}) => ({
  ...(stop() as object),
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion, ...more },
});
const call = calls({ index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{}' } });

const secondSearch = calls({
  index: 1,
  id: 's',
  type: 'function',
  function: { name: SEARCH, arguments: '{}' },
});

describe('usage in a stream', () => {
  test('is left out when only Winnow asked for it', () => {
    const withNull = { ...text('Hi.'), usage: null };
    const run = streamChunks([
      [role, search(), stop(), usage(5, 1)],
      [role, withNull, stop('stop'), usage(7, 2)],
    ]);
    expect(run.text).not.toContain('usage');
    expect(run.usage).toEqual({ inputTokens: 12, outputTokens: 3 });
  });

  test('is one chunk with the input of the last round and the output of all', () => {
    const details = (cached: number) => ({
      prompt_tokens_details: { cached_tokens: cached, audio_tokens: null },
    });
    const rounds = [
      [role, search(), stop(), usage(5, 1, details(4))],
      [role, search('call_s2'), stop(), usage(6, 1)],
      [role, text('Hi.'), stop('stop'), usage(7, 2, { ...details(3), later_tokens: 9 })],
    ];
    const sent = chunksOf(streamChunks(rounds, { wantsUsage: true }));
    expect(sent.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 4,
        total_tokens: 11,
        prompt_tokens_details: { cached_tokens: 3, audio_tokens: null },
        later_tokens: 9,
      },
    });
    expect(sent.filter((each) => 'usage' in each)).toHaveLength(1);
  });

  test('is the same in the chunk that stops, where a server puts it', () => {
    const stopping = (prompt: number) => ({ ...stop('stop'), usage: { prompt_tokens: prompt } });
    const run = streamChunks([
      [role, search(), stopping(5)],
      [role, text('Hi.'), stopping(7)],
    ]);
    expect(chunksOf(run).at(-1)).toMatchObject({ usage: { prompt_tokens: 7 } });
  });

  test('is passed on to a client that gets it without asking, when there is no search tool', () => {
    const rounds = [[role, text('Hi.'), stop('stop'), usage(5, 1)]];
    expect(chunksOf(streamChunks(rounds, { searchTool: null })).at(-1)).toEqual(usage(5, 1));
  });
});

describe('a joined stream', () => {
  test('has one role, and no empty chunk', () => {
    const run = streamChunks([
      [role, text('Let me look.'), search(), stop()],
      [role, text(' Hi.'), stop('stop')],
    ]);
    expect(chunksOf(run)).toEqual([role, text('Let me look.'), text(' Hi.'), stop('stop')]);
    expect(run.text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  });

  test('takes a second role out of a chunk that says more', () => {
    const run = streamChunks([
      [role, search(), stop()],
      [chunk({ role: 'assistant', content: 'Hi.' }), stop('stop')],
    ]);
    expect(chunksOf(run)).toEqual([role, text('Hi.'), stop('stop')]);
  });

  test('keeps id and time of the first round, and the fingerprint of each', () => {
    const later = (each: object) => ({ ...each, id: 'chatcmpl-2', created: 2, system_fingerprint: 'fp' });
    const run = streamChunks([[role, search(), stop()], [role, text('Hi.'), call, stop()].map(later)]);
    const heads = chunksOf(run).map(({ choices, ...head }) => head) as object[];
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' };
    expect(heads).toEqual([head, ...[1, 2, 3].map(() => ({ ...head, system_fingerprint: 'fp' }))]);
  });

  test('keeps the role where the first chunk is also the search', () => {
    const first = chunk({
      role: 'assistant',
      content: null,
      tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: SEARCH, arguments: '' } }],
    });
    const run = streamChunks([
      [first, stop()],
      [role, text('Hi.'), stop('stop')],
    ]);
    expect(chunksOf(run)[0]).toEqual(chunk({ role: 'assistant', content: null }));
  });

  test('leaves nothing of searches where every chunk names the role', () => {
    const naming = (id: string) => ({
      ...chunk({
        role: 'assistant',
        tool_calls: [{ index: 0, id, type: 'function', function: { name: SEARCH } }],
      }),
    });
    const run = streamChunks([
      [role, naming('a'), naming('b'), stop()],
      [role, text('Hi.'), stop('stop')],
    ]);
    expect(chunksOf(run)).toEqual([role, text('Hi.'), stop('stop')]);
  });

  test('takes the role from a later round when the first has none', () => {
    const run = streamChunks([
      [search(), stop()],
      [role, text('Hi.'), stop('stop')],
    ]);
    expect(chunksOf(run)).toEqual([role, text('Hi.'), stop('stop')]);
  });

  test('keeps text in the final chunk', () => {
    const run = streamChunks([
      [role, search(), chunk({ content: 'Looking.' }, 'tool_calls')],
      [role, chunk({ content: ' Hi.' }, 'stop')],
    ]);
    const texts = chunksOf(run).map(({ choices }) => choices[0]?.delta.content);
    expect(texts.join('')).toBe('Looking. Hi.');
    expect(run.text.match(/"stop"/g)).toHaveLength(1);
    expect(run.text).not.toContain('"finish_reason":"tool_calls"');
  });

  test('says the usage once, where the chunk that stops also has text', () => {
    const ending = { ...chunk({ content: 'Calling.' }, 'tool_calls'), usage: { prompt_tokens: 5 } };
    const run = streamChunks([[role, call, secondSearch, ending]], { wantsUsage: true });
    expect(chunksOf(run).filter((each) => 'usage' in each)).toHaveLength(1);
    expect(chunksOf(run).at(-1)).toMatchObject({ choices: [{ delta: {} }], usage: { prompt_tokens: 5 } });
  });

  test('passes comments on', () => {
    const view = viewOf(openaiChat, '{"stream":true,"messages":[]}');
    const joiner = openaiChat.joining.joinResponses(view, planOf(['one']));
    const comment = { kind: 'comment', text: 'OPENROUTER PROCESSING' } as const;
    expect(joiner.feed(comment)).toEqual([comment]);
  });

  test('passes on what Azure says about the prompt, once', () => {
    const filter = { ...(role as object), choices: [], prompt_filter_results: [{ prompt_index: 0 }] };
    const run = streamChunks([
      [filter, role, search(), stop()],
      [filter, role, text('Hi.'), stop('stop')],
    ]);
    expect(chunksOf(run).filter((each) => 'prompt_filter_results' in each)).toEqual([filter]);
  });

  test('keeps numbers and escapes of what it edits', () => {
    const raw = '{"id":"b","choices":[{"index":0,"delta":{"content":"\\u00fc"},"logprobs":{"x":-1.0}}]}';
    const run = streamChunks([
      [role, search(), stop()],
      [raw, stop('stop')],
    ]);
    expect(run.text).toContain('"delta":{"content":"\\u00fc"},"logprobs":{"x":-1.0}');
    expect(run.text).not.toContain('"id":"b"');
  });

  test('has no end where the upstream sends none', () => {
    const view = viewOf(openaiChat, '{"stream":true,"messages":[]}');
    const joiner = openaiChat.joining.joinResponses(view, planOf(['one']));
    joiner.feed({ kind: 'event', data: JSON.stringify(stop('stop')) });
    expect(joiner.endRound()).toMatchObject({ kind: 'finished', stopReason: 'stop' });
    expect(joiner.finish()).toEqual([]);
  });
});

describe('the turn of a streamed answer', () => {
  const turnOf = (chunks: readonly object[]) => {
    const [end] = streamChunks([chunks]).ends;
    return JSON.parse((end as { turn: { message: string } }).turn.message);
  };

  test('holds every field that came, known or not', () => {
    const thought = { google: { thought_signature: 'c2lnbmVk' } };
    const turn = turnOf([
      chunk({ role: 'assistant', content: null, reasoning_content: 'Where ' }),
      chunk({ reasoning_content: 'is it?', reasoning_details: [{ index: 0, type: 'text', text: 'a' }] }),
      chunk({ reasoning_details: [{ index: 0, type: 'text', text: 'b', signature: 's' }] }),
      calls({
        index: 0,
        id: 'a',
        type: 'function',
        function: { name: SEARCH, arguments: '{"query":"x"}' },
        extra_content: thought,
      }),
      stop(),
    ]);
    expect(turn).toEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'Where is it?',
      reasoning_details: [{ index: 0, type: 'text', text: 'ab', signature: 's' }],
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: SEARCH, arguments: '{"query":"x"}' },
          extra_content: thought,
        },
      ],
    });
  });
});

describe('a failed round', () => {
  test.each([{ error: 'Busy' }, { error: { message: 'Busy' } }, { message: 'Busy', event: 'error' }])(
    'passes on the error in whatever form it comes: %j',
    (data) => {
      const joiner = openaiChat.joining.joinResponses(
        viewOf(openaiChat, '{"stream":true,"messages":[]}'),
        planOf(['one']),
      );
      const name = 'event' in data ? 'error' : undefined;
      const event = { kind: 'event', name, data: JSON.stringify(data) } as const;
      expect(joiner.feed(event)).toEqual([]);
      const failure = joiner.endRound();
      expect(failure).toMatchObject({ kind: 'failed', reason: 'upstream_error' });
      expect(joiner.fail(failure as never)).toEqual([event]);
    },
  );

  test('is one that gets no event at all', () => {
    const view = viewOf(openaiChat, '{"stream":true,"messages":[]}');
    const joiner = openaiChat.joining.joinResponses(view, planOf(['one']));
    for (const each of [role, search(), stop()]) {
      joiner.feed({ kind: 'event', data: JSON.stringify(each) });
    }
    expect(joiner.endRound().kind).toBe('searching');
    expect(joiner.endRound()).toMatchObject({ kind: 'failed', reason: 'truncated' });
  });

  test('becomes an error body for a client that did not ask for a stream', () => {
    const view = viewOf(openaiChat, '{"messages":[]}');
    const joiner = openaiChat.joining.joinResponses(view, planOf(['one']));
    const failure = joiner.endRound();
    expect(failure).toMatchObject({ kind: 'failed', reason: 'truncated' });
    expect(JSON.parse(encodeAll(json, joiner.fail(failure as never)))).toEqual({
      error: {
        message: 'The response ended before it was complete.',
        type: 'server_error',
        param: null,
        code: null,
      },
    });
  });

  test('is one that ends within an event', () => {
    const view = viewOf(openaiChat, '{"stream":true,"messages":[]}');
    const joiner = openaiChat.joining.joinResponses(view, planOf(['one']));
    const cut = { kind: 'event', data: '{"id":"chatcmpl-1","choi' } as const;
    expect(joiner.feed(cut)).toEqual([]);
    expect(joiner.endRound()).toMatchObject({ kind: 'failed', reason: 'truncated' });
  });
});

test('passes on an event that is not a chunk when another follows', () => {
  const run = streamChunks([[role, 'still working', text('Hi.'), stop('stop')]]);
  expect(run.text).toContain('data: still working\n\n');
  expect(run.ends).toMatchObject([{ kind: 'finished' }]);
});

test.each([
  ['leaves out the token probabilities, which are of the last text alone', 'One moment. ', null],
  ['keeps the token probabilities of the only text', null, { content: [{ token: 'Done.', logprob: -1 }] }],
])('a whole response after a search %s', (_, content, logprobs) => {
  const view = viewOf(openaiChat, '{"model":"m","messages":[],"tools":[],"logprobs":true}');
  const tool_calls = [{ id: 's', type: 'function', function: { name: SEARCH, arguments: '{"query":"a"}' } }];
  const spelt = { content: [{ token: 'Done.', logprob: -1 }] };
  const wholeOf = (choice: object) => ({
    stream: '',
    whole: JSON.stringify({ id: 'c', choices: [{ index: 0, ...choice }] }),
  });
  const searching = { message: { role: 'assistant', content, tool_calls }, finish_reason: 'tool_calls' };
  const done = { message: { role: 'assistant', content: 'Done.' }, logprobs: spelt, finish_reason: 'stop' };
  const plan = planOf(['weather_get']);
  const { text } = runExchange(openaiChat, view, [wholeOf(searching), wholeOf(done)], plan, json);
  expect(JSON.parse(text).choices).toMatchObject([
    { message: { content: `${content ?? ''}Done.` }, logprobs, finish_reason: 'stop' },
  ]);
});
