import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { sse } from '../../src/framing/sse.ts';
import { cutsOf } from '../cuts.ts';
import { decodeAll, encodeAll } from '../frames.ts';
import { eventsOf, PLAN, play, readStream, readWritten, streamOf, VIEW } from './exchange.ts';

const SEARCH = 'gateway_search_tools';

/** The responses with nothing to hide. */
const OPEN = [
  'text',
  'thinking-call',
  'parallel-calls',
  'call-without-input',
  'server-tools',
  'refusal',
  'toolset-member',
  'program-caller',
  'pause-turn',
  'unknown-parts',
];

/** Responses that only search. */
const SEARCHES = [
  'thinking-search',
  'search-whole-input',
  'parallel-searches',
  'redacted-thinking',
  'malformed-search',
];

describe('a stream without a search', () => {
  test.each(OPEN)('is passed on unchanged: %s', (name) => {
    const { sent, ends } = play(streamOf(name));
    expect(sent).toBe(streamOf(name));
    expect(ends).toMatchObject([{ kind: 'finished', turn: { searches: [] } }]);
  });

  test('gets whole arguments as a delta, which every client reads', () => {
    const { sent } = play(streamOf('call-whole-input'));
    expect(readStream(sent).slice(1, 4)).toEqual([
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 'toolu_01WholeCall', name: 'mail_send', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"to":"a@example.org","copies":1}' },
      },
      { type: 'content_block_stop', index: 0 },
    ]);
  });

  test('gets the names of its events when the upstream leaves them out', () => {
    expect(play(streamOf('text').replaceAll(/^event: .*\n/gm, '')).sent).toBe(streamOf('text'));
  });

  test('keeps comments', () => {
    expect(play(`: hello\n\n${streamOf('text')}`).sent).toBe(`: hello\n\n${streamOf('text')}`);
  });
});

describe('a search and the round after it', () => {
  test.each(SEARCHES.flatMap((search) => OPEN.map((answer) => [search, answer])))(
    '%s, then %s',
    (search, answer) => {
      const { sent, ends } = play(streamOf(search), streamOf(answer));
      const events = readStream(sent);
      const typesOf = (type: string) => events.filter((event) => event.type === type);
      expect(ends.map(({ kind }) => kind)).toEqual(['searching', 'finished']);
      expect(typesOf('message_start')).toEqual([readWritten(search)[0]]);
      expect(typesOf('message_delta')).toHaveLength(1);
      expect(typesOf('message_stop')).toHaveLength(1);
      const starts = typesOf('content_block_start').map(({ index }) => index);
      expect(starts).toEqual(starts.map((_, place) => place));
      expect(typesOf('content_block_stop').map(({ index }) => index)).toEqual(starts);
      if (!OWN_USE_OF_NAME.has(answer)) expect(sent).not.toContain(SEARCH);
    },
  );

  test('begins with the usage of the first response that shows something, as long as the client has got no start', () => {
    const joiner = anthropicMessages.joining.joinResponses(VIEW, PLAN);
    const feed = (name: string) => {
      for (const event of eventsOf(streamOf(name))) joiner.feed(event);
      joiner.endRound();
    };
    const usageIn = (data: string | undefined) => data && JSON.parse(data).message.usage;
    const written = (name: string) => JSON.parse(JSON.stringify(readWritten(name)[0])).message;
    feed('redacted-thinking');
    expect(joiner.amendedStart).toBeUndefined();
    feed('malformed-search');
    expect(usageIn(joiner.amendedStart?.data)).toEqual(written('malformed-search').usage);
    feed('text');
    expect(usageIn(joiner.amendedStart?.data)).toEqual(written('text').usage);
    // Once content is shown, the start no longer changes.
    expect(joiner.hasShown).toBe(true);
    const { message } = JSON.parse(joiner.amendedStart!.data);
    expect({ ...message, usage: 0 }).toEqual({ ...written('redacted-thinking'), usage: 0 });
  });

  // A member of a toolset or a program may use the same name.
  const OWN_USE_OF_NAME = new Set(['toolset-member', 'program-caller']);

  test('ends with the reason of the last answer and the usage that the context holds', () => {
    const { sent, joiner } = play(streamOf('thinking-search'), streamOf('server-tools'), streamOf('refusal'));
    expect(readStream(sent).find(({ type }) => type === 'message_delta')).toEqual({
      type: 'message_delta',
      delta: {
        stop_reason: 'refusal',
        stop_sequence: null,
        stop_details: { type: 'refusal', category: 'cyber', explanation: null },
      },
      usage: {
        input_tokens: 412,
        cache_creation_input_tokens: 1800,
        cache_read_input_tokens: 0,
        output_tokens: 124,
        server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
      },
    });
    expect(joiner.usage).toEqual({
      inputTokens: 6636,
      outputTokens: 124,
      cachedInputTokens: 0,
      cacheWriteTokens: 5400,
    });
  });

  test('passes on pings of hidden rounds, which keep the connection alive', () => {
    const { sent } = play(streamOf('thinking-search'), streamOf('thinking-search'), streamOf('text'));
    expect(readStream(sent).filter(({ type }) => type === 'ping')).toHaveLength(3);
  });

  test('puts alternating blocks in their own places', () => {
    const start = (index: number, block: object) => ({
      type: 'content_block_start',
      index,
      content_block: block,
    });
    const delta = (index: number, text: string) => ({
      type: 'content_block_delta',
      index,
      delta: text.startsWith('{')
        ? { type: 'input_json_delta', partial_json: text }
        : { type: 'text_delta', text },
    });
    const stop = (index: number) => ({ type: 'content_block_stop', index });
    const search = { type: 'tool_use', id: 'toolu_1', name: SEARCH, input: {} };
    const middle = [
      start(0, search),
      start(1, { type: 'text', text: '' }),
      start(2, { type: 'text', text: '' }),
      delta(2, 'second'),
      delta(0, '{"query":"x"}'),
      delta(1, 'first'),
      stop(1),
      stop(0),
      stop(2),
    ];
    const [first, ...rest] = readWritten('thinking-search');
    const events = [first!, ...middle, ...rest.slice(-2)];
    const stream = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const { sent, ends } = play(stream, streamOf('text'));
    expect(ends[0]).toMatchObject({ kind: 'searching', turn: { searches: [{ queries: ['x'] }] } });
    const deltas = readStream(sent).filter(({ type }) => type === 'content_block_delta');
    expect(deltas.slice(0, 2)).toEqual([delta(1, 'second'), delta(0, 'first')]);
  });
});

describe('the turn of an answer', () => {
  test('is the original message: signatures, long numbers, callers and blocks of all kinds', () => {
    const messageOf = (name: string) => {
      const [end] = play(streamOf(name)).ends;
      return end!.kind === 'failed' ? end!.message : end!.turn.message;
    };
    expect(messageOf('thinking-call')).toBe(
      '{"role":"assistant","content":[{"type":"thinking","thinking":"The user wants the weather.",' +
        '"signature":"EqQBCgIYAhIkY2FsbC1zaWduYXR1cmU+/w=="},{"type":"text","text":"Let me look."},' +
        '{"type":"tool_use","id":"toolu_01Weather","name":"weather_get",' +
        '"input":{"city": "Zürich", "days": 12345678901234567890},"caller":{"type":"direct"}}]}',
    );
    expect(messageOf('redacted-thinking')).toContain(
      '{"type":"redacted_thinking","data":"EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIw"},' +
        '{"type":"thinking","thinking":"","signature":"Eo1omitted"}',
    );
    expect(messageOf('server-tools')).toContain('"citations":[{"type":"web_search_result_location"');
    expect(messageOf('server-tools')).toContain('"input":{"query": "winnow"}');
    expect(messageOf('unknown-parts')).toContain('{"type":"hologram","shape":"cube"}');
  });

  test.each([
    ['a member of a toolset', 'toolset-member'],
    ['a program', 'program-caller'],
  ])('does not take the call of %s for a search', (_, name) => {
    expect(play(streamOf(name)).ends).toMatchObject([
      { turn: { realCalls: [{ name: SEARCH }], searches: [] } },
    ]);
  });

  test('leaves out blank text, which is rejected when it comes back', () => {
    const blank = streamOf('thinking-search')
      .replaceAll('"text":"One "', '"text":" "')
      .replaceAll('moment. ', '\\n');
    expect(play(blank).ends).toMatchObject([
      { turn: { message: expect.not.stringContaining('"type":"text"') } },
    ]);
  });

  test('leaves out a search that a handover to another model has made void', () => {
    const [start, ...rest] = readWritten('search-whole-input');
    const fallback = [
      { type: 'content_block_start', index: 1, content_block: { type: 'fallback', from: {}, to: {} } },
      { type: 'content_block_stop', index: 1 },
    ];
    const events = [start!, ...rest.slice(0, 2), ...fallback, ...rest.slice(-2)];
    const stream = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    const { ends, sent } = play(stream);
    expect(ends).toMatchObject([{ kind: 'finished', turn: { searches: [] } }]);
    expect(sent).toContain('"stop_reason":"end_turn"');
  });
});

describe('a whole response', () => {
  const whole = (content: string, more = '') =>
    `{"id":"msg_1","type":"message", "role":"assistant","content":[${content}],"stop_reason":"tool_use"${more}}`;
  const search = `{"type":"tool_use","id":"toolu_1","name":"${SEARCH}","input":{"query":"x"}}`;
  const call = '{"type":"tool_use","id":"toolu_2","name":"f","input":{"n": 12345678901234567890, "x":1.0}}';

  test('keeps every byte that the client may see', () => {
    const body = whole(
      `{"type":"text","text":"A\\u0042"},${search},${call}`,
      ',"usage":{"input_tokens":1.0}',
    );
    expect(play(body).sent).toBe(
      whole(`{"type":"text","text":"A\\u0042"},${call}`, ',"usage":{"input_tokens":1.0}'),
    );
  });

  test('has the id of the first response and everything else of the last', () => {
    const last = whole(
      call,
      ',"container":{"id":"c"},"usage":{"input_tokens":2,"cache_read_input_tokens":null}',
    );
    const { sent } = play(
      whole(search, ',"usage":{"input_tokens":1,"cache_read_input_tokens":null}'),
      last.replace('msg_1', 'msg_2'),
    );
    expect(sent).toBe(
      whole(call, ',"container":{"id":"c"},"usage":{"input_tokens":2,"cache_read_input_tokens":null}'),
    );
  });

  test('that is an error is passed on as an error', () => {
    const error = '{"type":"error", "error":{"type":"overloaded_error","message":"Overloaded"}}';
    const { ends, sent } = play(error);
    expect(ends).toMatchObject([{ kind: 'failed', reason: 'upstream_error' }]);
    expect(sent).toBe(error);
  });

  test.each(['{"object":"chat.completion"}', '{"type":"message","content":7}'])(
    'that is not a message is passed on as it is, and was worth its price: %s',
    (body) => {
      const { ends, sent } = play(body);
      expect(ends).toMatchObject([{ kind: 'finished' }]);
      expect(sent).toBe(body);
    },
  );

  test.each([
    '{not json',
    '{"type":"message","content":{"type":"tool_use","id":"a","name":"gateway_search_tools","input":{}}}',
  ])('that may have been cut, or names the search tool and cannot be read, is a failure: %s', (body) => {
    expect(play(body).ends).toMatchObject([{ kind: 'failed', reason: 'malformed_answer' }]);
  });

  test('may follow a stream, and a stream may follow it', () => {
    const answer = whole(`{"type":"text","text":"Here."},${call}`, ',"usage":{"output_tokens":5}');
    const streamed = readStream(play(streamOf('thinking-search'), answer).sent);
    expect(streamed.map(({ type, index }) => [type, index])).toContainEqual(['content_block_start', 3]);
    expect(streamed.at(-1)).toEqual({ type: 'message_stop' });
    const joined = JSON.parse(play(whole(search, ',"usage":{"output_tokens":5}'), streamOf('text')).sent);
    expect(joined).toMatchObject({
      id: 'msg_1',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Grüße aus 東京 👩‍💻 — fin.\n' }],
      usage: { output_tokens: 26 },
    });
  });
});

describe('failures', () => {
  test('an error within the stream reaches the client unchanged', () => {
    const { sent, ends } = play(streamOf('thinking-search'), streamOf('error'));
    expect(ends[1]).toMatchObject({ kind: 'failed', reason: 'upstream_error' });
    expect(readStream(sent).at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
  });

  test.each([
    ['behind a block', 6],
    ['within a block', 4],
    ['in front of the end', -1],
    ['in front of everything', 0],
  ])('a stream that is cut off %s is an error', (_, end) => {
    const events = streamOf('thinking-search').split(/(?<=\n\n)/);
    const { sent, ends } = play(events.slice(0, end).join(''));
    expect(ends).toMatchObject([{ kind: 'failed', reason: 'truncated' }]);
    expect(readStream(sent).at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect(sent).not.toContain('message_stop');
  });

  test('a search whose block never ends does not count, even if the message ends', () => {
    const events = streamOf('thinking-search').split(/(?<=\n\n)/);
    const ofSearch = events.findLastIndex((event) => event.includes('"content_block_stop"'));
    const { sent, ends } = play(events.toSpliced(ofSearch, 1).join(''));
    expect(ends).toMatchObject([{ kind: 'finished', turn: { searches: [] } }]);
    expect(sent).not.toContain(SEARCH);
  });

  test('a search that exceeds the limit on held content is abandoned', () => {
    const joiner = anthropicMessages.joining.joinResponses(VIEW, PLAN);
    const [start, , , ...rest] = readWritten('malformed-search');
    const block = { type: 'tool_use', id: 'toolu_1', name: SEARCH, input: {} };
    const piece = { type: 'content_block_delta', index: 0, delta: { partial_json: 'x'.repeat(100_000) } };
    const events = [start, { type: 'content_block_start', index: 0, content_block: block }];
    const stream = [...events, ...Array.from({ length: 11 }, () => piece), ...rest]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('');
    for (const event of eventsOf(stream)) joiner.feed(event);
    expect(joiner.endRound()).toMatchObject({ kind: 'failed', reason: 'held_too_much' });
  });

  test('an end that exceeds the limit on held content is a failure', () => {
    const [stop] = readWritten('text').slice(-1);
    const padding = { type: 'later', padding: 'x'.repeat(1024 * 1024) };
    const events = [...readWritten('text').slice(0, -1), padding, stop];
    const { ends, sent } = play(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    expect(ends).toMatchObject([{ kind: 'failed', reason: 'held_too_much' }]);
    expect(readStream(sent).at(-1)).toMatchObject({ type: 'error' });
  });

  test('calls without ids get one, the same for the client and for the provider', () => {
    const stream = streamOf('parallel-calls').replaceAll(/"id":"toolu_01[AB]"/g, '"id":""');
    const { sent, ends } = play(stream);
    const ids = ['toolu_msg_01Two_0', 'toolu_msg_01Two_1'];
    const starts = readStream(sent).filter(({ type }) => type === 'content_block_start');
    expect(starts).toMatchObject(ids.map((id) => ({ content_block: { id } })));
    expect(ends).toMatchObject([{ turn: { realCalls: ids.map((id) => ({ id })) } }]);
  });
});

describe('however the bytes are cut', () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const joined = (pieces: readonly Uint8Array[]) => {
    const joiner = anthropicMessages.joining.joinResponses(VIEW, PLAN);
    const events = decodeAll(sse, pieces).flatMap((event) => joiner.feed(event));
    const end = joiner.endRound();
    const rest = end.kind === 'failed' ? joiner.fail(end) : joiner.finish();
    return [encodeAll(sse, [...events, ...rest]), end];
  };

  test.each(['text', 'thinking-search', 'search-with-call', 'error'])(
    'the answer is the same: %s',
    (name) => {
      const bytes = encode(streamOf(name));
      const wanted = joined([bytes]);
      for (const at of cutsOf(bytes)) {
        expect(joined([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toEqual(wanted);
      }
      expect(joined(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(wanted);
    },
  );
});
