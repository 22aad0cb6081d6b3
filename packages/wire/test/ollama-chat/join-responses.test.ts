import fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';
import type { WireEvent } from '../../src/framing/framing.ts';
import { ndjson } from '../../src/framing/ndjson.ts';
import { ollamaChat } from '../../src/ollama-chat/ollama-chat.ts';
import { testExchange } from '../abandoned-rounds.ts';
import { brokenForms } from '../broken-responses.ts';
import { SEARCH } from '../format-fixtures.ts';
import { decodeAll, encodeAll } from '../frames.ts';
import { planOf, runExchange, viewOf } from '../run-exchange.ts';
import { ollamaFixtures } from './ollama-fixtures.ts';
import { readOllamaStream } from './read-ollama-stream.ts';

const line = (message: object, more: object = {}) => ({
  model: 'm',
  created_at: '2026-11-22T09:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
});
const counts = (input: number, output: number) => ({
  total_duration: 4_000_000_000,
  load_duration: 1,
  prompt_eval_count: input,
  prompt_eval_duration: 2_000_000_000,
  eval_count: output,
  eval_duration: 3_000_000_000,
});
const end = (message: object = {}, more: object = {}) =>
  line(message, { done: true, done_reason: 'stop', ...counts(100, 10), ...more });
const call = (name: string, more: object = {}, given: unknown = {}) => ({
  function: { name, arguments: given, ...more },
});
const search = (more: object = {}) => call(SEARCH, more, { query: 'weather' });
const write = (lines: readonly unknown[]) => lines.map((one) => `${JSON.stringify(one)}\n`).join('');

const view = (isStream: boolean) =>
  viewOf(ollamaChat, `{"model":"m","stream":${isStream},"messages":[],"tools":[]}`);
const stream = (...rounds: (readonly unknown[] | string)[]) =>
  runExchange(
    ollamaChat,
    view(true),
    rounds.map((lines) => ({ stream: typeof lines === 'string' ? lines : write(lines), whole: '' })),
    planOf(['weather_get']),
    ndjson,
  );
const whole = (...bodies: readonly unknown[]) =>
  runExchange(
    ollamaChat,
    view(false),
    bodies.map((body) => ({ stream: '', whole: JSON.stringify(body) })),
    planOf(['weather_get']),
  );

describe('calls without ids, as versions before 0.13 send them', () => {
  const rounds = [
    [line({ tool_calls: [search()] }), end()],
    [line({ tool_calls: [call('weather_get'), search(), call('mail_send')] }), end()],
  ];

  test('are identified by position, and made-up ids are never sent', () => {
    const run = stream(...rounds);
    expect(run.ends).toMatchObject([
      { kind: 'searching', turn: { searches: [{ id: '#0' }], realCalls: [] } },
      {
        kind: 'finished',
        turn: {
          searches: [{ id: '#1' }],
          realCalls: [
            { id: '#0', name: 'weather_get' },
            { id: '#2', name: 'mail_send' },
          ],
        },
      },
    ]);
    const edited = ollamaChat.editing.editRequest(view(true), planOf(['weather_get']), {
      hiddenTurns: [],
      rounds: run.rounds,
    });
    const { messages } = JSON.parse(new TextDecoder().decode(edited));
    expect(messages).toEqual([
      { role: 'assistant', content: '', tool_calls: [search()] },
      { role: 'tool', tool_name: SEARCH, content: expect.stringContaining('No tool matches') },
      { role: 'assistant', content: '', tool_calls: [call('weather_get'), search(), call('mail_send')] },
      { role: 'tool', tool_name: SEARCH, content: expect.stringContaining('No tool matches') },
    ]);
  });

  test('are put back in the order of the model', () => {
    const run = stream(...rounds);
    const hidden = ollamaChat.remembering.hideTurn(view(true), run.rounds)!;
    expect(hidden.keys.own).toEqual([]);
    const { message } = readOllamaStream(run.text);
    const results = ['weather_get', 'mail_send'].map((name) => ({
      role: 'tool',
      tool_name: name,
      content: 'Done.',
    }));
    const history = [JSON.parse(message) as unknown, ...results];
    const next = viewOf(ollamaChat, JSON.stringify({ model: 'm', messages: history, tools: [] }));
    expect(ollamaChat.remembering.recall(next, [hidden])).toEqual([hidden]);
    const edited = ollamaChat.editing.editRequest(next, planOf([]), { hiddenTurns: [hidden], rounds: [] });
    const { messages } = JSON.parse(new TextDecoder().decode(edited));
    expect(
      messages.map(({ role, tool_name: tool }: { role: string; tool_name?: string }) => tool ?? role),
    ).toEqual(['assistant', SEARCH, 'assistant', SEARCH, 'weather_get', 'mail_send']);
    expect(messages[2].tool_calls).toEqual([call('weather_get'), search(), call('mail_send')]);
  });
});

describe('numbers of calls', () => {
  test('begin at 0 for the client, whatever was removed before', () => {
    const calls = [search({ index: 0 }), call('weather_get', { index: 1 })];
    const { calls: seen } = readOllamaStream(stream([line({ tool_calls: calls }), end()]).text);
    expect(seen).toMatchObject([{ name: 'weather_get' }]);
    const later = [
      line({ tool_calls: [search({ index: 0 })] }),
      line({ tool_calls: [call('weather_get', { index: 1 })] }),
      line({ tool_calls: [call('mail_send', { index: 2 })] }),
      end(),
    ];
    expect(readOllamaStream(stream(later).text).calls).toHaveLength(2);
  });

  test('stay unchanged when nothing is removed', () => {
    const odd = [line({ tool_calls: [call('weather_get', { index: 7 })] }), end()];
    expect(stream(odd).text).toBe(write(odd));
  });
});

describe('a last line that says something itself', () => {
  test('sends its text and calls at once, and its end when the exchange is over', () => {
    const run = stream([end({ content: 'I look. ', tool_calls: [search()] })], [end({ content: 'Sunny.' })]);
    expect(run.ends).toMatchObject([{ kind: 'searching' }, { kind: 'finished' }]);
    expect(readOllamaStream(run.text)).toMatchObject({ text: 'I look. Sunny.', calls: [], outputTokens: 20 });
  });

  test('passes unchanged when nothing is hidden', () => {
    const lines = [end({ content: 'Sunny.', tool_calls: [call('weather_get')] })];
    expect(stream(lines).text).toBe(write(lines));
  });
});

describe('counts', () => {
  const rounds = [
    [line({ tool_calls: [search()] }), end({}, counts(100, 10))],
    [line({ content: 'Sunny.' }), end({}, { ...counts(150, 20), load_duration: 2 })],
  ] as const;
  const lastOf = (text: string) => JSON.parse(text.trimEnd().split('\n').at(-1)!) as object;

  test('are the last input, all output, and the time of all rounds', () => {
    const run = stream(...rounds);
    expect(lastOf(run.text)).toMatchObject({
      ...counts(150, 30),
      total_duration: 8_000_000_000,
      load_duration: 3,
      prompt_eval_duration: 4_000_000_000,
      eval_duration: 6_000_000_000,
    });
    expect(run.usage).toEqual({ inputTokens: 250, outputTokens: 30 });
    expect(JSON.parse(whole(...rounds.map(([, last]) => last), end()).text)).toMatchObject({
      prompt_eval_count: 100,
    });
  });

  test('of a prompt that a cache served may be missing', () => {
    const { prompt_eval_count, ...cached } = end({ content: 'Hi.' }) as ReturnType<typeof end> & {
      prompt_eval_count: number;
    };
    expect(stream([cached]).usage).toEqual({ inputTokens: 0, outputTokens: 10 });
  });
});

describe('probabilities of tokens', () => {
  const token = (text: string) => line({}, { logprobs: [{ token: text, logprob: -0.1 }] });

  test('that spell out a search are taken out, with those of its end', () => {
    const run = stream(
      [
        token('gateway_'),
        token('search_tools'),
        line({ tool_calls: [search()] }, { logprobs: [{ token: '}' }] }),
        token('</tool>'),
        end(),
      ],
      [line({ content: 'Sunny.' }, { logprobs: [{ token: 'Sunny.' }] }), end()],
    );
    expect(run.text).not.toMatch(/gateway_|search_tools|<\/tool>/);
    expect(run.text).toContain('"token":"Sunny."');
  });

  test('that spell out a call of the client pass before it', () => {
    const lines = [
      token('weather'),
      token('_get'),
      line({ tool_calls: [call('weather_get')] }),
      token('}'),
      end(),
    ];
    expect(stream(lines).text).toBe(write(lines));
  });

  test('go from whole responses that hide something', () => {
    const logprobs = [{ token: 'gateway_' }, { token: 'search_tools' }];
    const hidden = end({ tool_calls: [search()] }, { logprobs });
    expect(whole(hidden, end({ content: 'Hi.' }, { logprobs: [{ token: 'Hi.' }] })).text).not.toContain(
      'logprobs',
    );
    expect(whole(hidden).text).not.toContain('gateway_');
    expect(whole(end({ content: 'Hi.' }, { logprobs: [{ token: 'Hi.' }] })).text).toContain('logprobs');
  });
});

describe('an element that is not a line of a response', () => {
  test('passes before the end, and counts as truncated at the end', () => {
    const odd = `${write([line({ content: 'Hi.' })])}not json\n${write([end()])}`;
    expect(stream(odd).text).toBe(odd);
    expect(stream(`${write([line({ content: 'Hi.' })])}{"mess`).ends).toMatchObject([
      { reason: 'truncated' },
    ]);
  });

  test('may be a blank line, which passes unchanged unless the exchange hides something', () => {
    const blank = `${write([line({ content: 'Hi.' })])}\n${write([end()])}`;
    expect(stream(blank).text).toBe(blank);
    expect(
      stream(`${write([line({ tool_calls: [search()] })])}\n${write([end()])}`, blank).text,
    ).not.toContain('\n\n');
  });

  test('may be an error, whatever surrounds it', () => {
    const run = stream([line({ content: 'Hi.' }), { error: 'model runner has stopped', status: 500 }]);
    expect(run.ends).toMatchObject([{ kind: 'failed', reason: 'upstream_error' }]);
    expect(run.text.endsWith('{"error":"model runner has stopped","status":500}\n')).toBe(true);
  });

  test('may be a whole body of another shape, which passes unchanged unless it names the search tool', () => {
    expect(whole({ else: 1 }).text).toBe('{"else":1}');
    expect(whole({ else: SEARCH }).ends).toMatchObject([{ kind: 'failed', reason: 'malformed_answer' }]);
  });
});

test('echoes of the request in a whole response are hidden', () => {
  const echo = end({ content: 'Hi.' }, { _debug_info: { rendered_template: `tools: ${SEARCH}` } });
  expect(whole(echo).text).not.toContain(SEARCH);
  expect(stream([line({ content: 'Hi.' }), echo]).text).not.toContain(SEARCH);
});

test('an abandoned round leaves only the events sent before', () => {
  const joiner = ollamaChat.joining.joinResponses(view(true), planOf([]));
  const feed = (lines: readonly unknown[]) =>
    decodeAll(ndjson, [Buffer.from(write(lines))]).flatMap((event) => joiner.feed(event));
  const given = [...feed([line({ tool_calls: [search()] }), end()])];
  joiner.endRound();
  feed([line({ content: 'half' })]);
  joiner.endRound();
  joiner.abandonRound();
  given.push(...feed([line({ content: 'Sunny.' }), end()]));
  expect(joiner.endRound()).toMatchObject({
    kind: 'finished',
    turn: { message: expect.stringContaining('Sunny.') },
  });
  given.push(...joiner.finish());
  expect(readOllamaStream(encodeAll(ndjson, given))).toMatchObject({ text: 'Sunny.', outputTokens: 20 });
  expect(joiner.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
});

test('a whole later round continues a stream, and a streamed one ends a whole response', () => {
  const searching = [line({ tool_calls: [search()] }), end()];
  const joiner = ollamaChat.joining.joinResponses(view(true), planOf([]));
  const given = decodeAll(ndjson, [Buffer.from(write(searching))]).flatMap((event) => joiner.feed(event));
  joiner.endRound();
  given.push(...joiner.feed({ kind: 'whole', text: JSON.stringify(end({ content: 'Sunny.' }), null, 2) }));
  expect(joiner.endRound()).toMatchObject({ kind: 'finished' });
  expect(readOllamaStream(encodeAll(ndjson, [...given, ...joiner.finish()])).text).toBe('Sunny.');

  const other = ollamaChat.joining.joinResponses(view(false), planOf([]));
  other.feed({ kind: 'whole', text: JSON.stringify(end({ tool_calls: [search()] })) });
  other.endRound();
  const lines = decodeAll(ndjson, [
    Buffer.from(write([line({ content: 'Sun' }), line({ content: 'ny.' }), end()])),
  ]);
  expect(lines.flatMap((event) => other.feed(event))).toEqual([]);
  expect(other.endRound()).toMatchObject({ kind: 'finished' });
  expect(JSON.parse((other.finish()[0] as { text: string }).text)).toMatchObject({
    message: { content: 'Sunny.' },
    eval_count: 20,
  });
});

const SETTINGS = { numRuns: inject('isExhaustive') ? 2_000 : 40, seed: 7 };

test('a stream without calls passes unchanged, whatever is broken in it', () => {
  const speaking = [
    line({ thinking: 'Hm.' }),
    line({ content: 'Hi.' }),
    line({ tool_calls: [call('weather_get')] }),
  ];
  fc.assert(
    fc.property(brokenForms([speaking]), (broken) => {
      fc.pre(
        Array.isArray(broken) && broken.every((one) => (one as { done?: unknown } | null)?.done !== true),
      );
      const lines = [...(broken as unknown[]), end()];
      expect(stream(lines).text).toBe(write(lines));
    }),
    SETTINGS,
  );
});

test('never throws, whatever is broken in rounds that search', () => {
  const searching = [
    line({ content: 'Hm.' }),
    line({ tool_calls: [call('weather_get', { index: 0 }), search({ index: 1 })] }),
    end(),
  ];
  const plain = [line({ content: 'Hi.' }), end()];
  const broken = brokenForms<unknown>([searching, plain]).filter(Array.isArray);
  fc.assert(
    fc.property(broken, broken, (first, second) => {
      expect(() => stream(first, second)).not.toThrow();
    }),
    SETTINGS,
  );
  const bodies = brokenForms<unknown>([end({ tool_calls: [search()] }), end({ content: 'Hi.' })]);
  fc.assert(
    fc.property(bodies, bodies, (first, second) => {
      expect(() => whole(first, second)).not.toThrow();
    }),
    SETTINGS,
  );
});

describe('an abandoned round leaves no token probabilities', () => {
  const spelling: WireEvent = {
    kind: 'event',
    data: '{"message":{"role":"assistant","content":""},"logprobs":[{"token":"x"}],"done":false}',
  };
  const decode = (stream: string) => decodeAll(ndjson, [Buffer.from(stream)]);
  testExchange({
    join: () => ollamaChat.joining.joinResponses(view(true), planOf(['weather_get'])),
    eventsOf: (name) => decode(ollamaFixtures.answers[name].stream).flatMap((event) => [spelling, event]),
  });
});
