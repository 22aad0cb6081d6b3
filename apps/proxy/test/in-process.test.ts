import type { ExchangeRecord } from '@winnow/core';
import { describe, expect, test, vi } from 'vitest';
import type { Fetch } from '../src/in-process/fetch-call.ts';
import { readFetchOptions } from '../src/in-process/open-engine.ts';
import { winnowFetch } from '../src/in-process/winnow-fetch.ts';

const tool = (name: string, description: string) => ({ name, description, input_schema: { type: 'object' } });
const TOOLS = [
  tool('send_mail', 'Sends an e-mail to a person.'),
  tool('read_weather', 'Tells the weather of a city.'),
  tool('book_flight', 'Books a flight between two cities.'),
];
const ask = (...messages: object[]) => ({ model: 'm', max_tokens: 9, tools: TOOLS, messages });
const QUESTION = { role: 'user', content: 'Will it rain in Bern?' };
const BODY = JSON.stringify(ask(QUESTION));
/** A request with few tools is sent as it is. */
const PLAIN = JSON.stringify({ ...ask(QUESTION), tools: [] });
const CHAT = JSON.stringify({ model: 'm', messages: [QUESTION] });
const CHAT_WITH_TOOLS = JSON.stringify({
  ...JSON.parse(CHAT),
  tools: TOOLS.map(({ input_schema, ...described }) => ({
    type: 'function',
    function: { ...described, parameters: input_schema },
  })),
});
const URL_OF_CHAT = 'https://api.example/v1/chat/completions';
const URL_OF_MODEL = 'https://gateway.example/anthropic/v1/messages?beta=true';

const turn = (id: string, stop: string, ...content: object[]) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
});
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const SEARCH = turn('msg_1', 'tool_use', call('toolu_s', 'gateway_search_tools', { query: 'weather' }));
const WEATHER = turn('msg_2', 'tool_use', call('toolu_w', 'read_weather', { city: 'Bern' }));
const DONE = turn('msg_3', 'end_turn', { type: 'text', text: 'It will.' });

const DEFERS = {
  'tools.goal': 'context',
  'tools.preload': 0,
  'tools.min_tools': 0,
  'tools.min_deferred_tokens': 0,
} as const;
const post = (body: RequestInit['body'], more: RequestInit = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': 'key' },
  body: body ?? null,
  ...more,
});

/** A `fetch` that gives these answers in turn, and what it was called with. */
function scripted(...answers: (object | (() => Response | Promise<Response>))[]) {
  const sent: { readonly url: string; readonly init: RequestInit; readonly text: string }[] = [];
  const upstream: Fetch = async (input, init = {}) => {
    const request = new Request(input, init);
    sent.push({ url: request.url, init: { ...init, headers: request.headers }, text: await request.text() });
    const answer = answers[sent.length - 1] ?? DONE;
    return typeof answer === 'function' ? answer() : Response.json(answer);
  };
  const records: ExchangeRecord[] = [];
  const fetch = winnowFetch(upstream, {
    settings: DEFERS,
    load: 'swap',
    onRecord: (one) => records.push(one),
  });
  return { fetch, sent, records };
}

/** A body that is sent piece by piece, each when the test says so. */
function pieces() {
  const encoder = new TextEncoder();
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const state = { isCancelled: false, pulled: 0 };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (one) => {
        controller = one;
      },
      pull: () => {
        state.pulled++;
      },
      cancel: () => {
        state.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const send = (text: string) => controller.enqueue(encoder.encode(text));
  return {
    stream,
    state,
    send,
    fail: (error: unknown) => controller.error(error),
    end: () => controller.close(),
  };
}

const EVENTS = { headers: { 'content-type': 'text/event-stream' } };
const event = (data: { readonly type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const START = event({ type: 'message_start', message: { ...DONE, content: [], stop_reason: null } } as never);
const TEXT = [
  event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
  delta('It'),
].join('');

describe('a fetch with Winnow', () => {
  test('answers the searches of a conversation, and hides them', async () => {
    const { fetch, sent, records } = scripted(SEARCH, WEATHER, DONE);
    const first = await fetch(URL_OF_MODEL, post(BODY));
    const answer = (await first.json()) as ReturnType<typeof turn>;
    expect(answer.content).toEqual([call('toolu_w', 'read_weather', { city: 'Bern' })]);
    expect(sent.map(({ url }) => url)).toEqual([URL_OF_MODEL, URL_OF_MODEL]);
    expect(sent.map(({ text }) => text.includes('"gateway_search_tools"'))).toEqual([true, true]);
    expect(sent.map(({ text }) => text.includes('Tells the weather'))).toEqual([false, true]);
    await vi.waitFor(() => expect(records.length).toBe(1));
    expect(records).toMatchObject([{ outcome: 'answered', upstream: 'gateway.example', upstreamCalls: 2 }]);

    // The next turn shows the search to the model again, which its client has never seen.
    const result = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_w', content: 'rain' }],
    };
    const history = ask(QUESTION, { role: 'assistant', content: answer.content }, result);
    const second = await fetch(URL_OF_MODEL, post(JSON.stringify(history)));
    expect(await second.json()).toMatchObject({ content: [{ type: 'text', text: 'It will.' }] });
    expect(sent[2]!.text).toContain('toolu_s');
    await vi.waitFor(() => expect(records.length).toBe(2));
    expect(records[1]).toMatchObject({ hiddenTurnsKnown: 1, upstreamCalls: 1 });
  });

  test('holds tools back whether or not the exchange is recorded', async () => {
    const upstream = vi.fn<Fetch>(async () => Response.json({}));
    await winnowFetch(upstream, { settings: DEFERS, load: 'swap' })(URL_OF_CHAT, post(CHAT_WITH_TOOLS));
    expect(Buffer.from(upstream.mock.calls[0]![1]!.body as Uint8Array).toString()).toContain('search_tools');
  });

  test('recognizes the conversations of a client without a credential', async () => {
    const { fetch, records } = scripted(SEARCH, WEATHER, DONE);
    const without = { headers: { 'content-type': 'application/json' } };
    const first = await fetch(URL_OF_MODEL, post(BODY, without));
    const { content } = (await first.json()) as { content: object[] };
    const result = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_w', content: 'rain' }],
    };
    await fetch(
      URL_OF_MODEL,
      post(JSON.stringify(ask(QUESTION, { role: 'assistant', content }, result)), without),
    );
    await vi.waitFor(() => expect(records.map(({ agent }) => agent?.isFirst)).toEqual([true, undefined]));
  });

  test('gives a response the address, the status text and the headers of the upstream', async () => {
    const like = (body: object) => () => {
      const response = Response.json(body, { statusText: 'Fine', headers: { 'request-id': 'req_1' } });
      Object.defineProperty(response, 'url', { value: URL_OF_MODEL });
      return response;
    };
    const { fetch } = scripted(like(SEARCH), like(WEATHER));
    const response = await fetch(URL_OF_MODEL, post(BODY));
    const { status, statusText, ok, url } = response;
    expect({ status, statusText, ok, url }).toEqual({
      status: 200,
      statusText: 'Fine',
      ok: true,
      url: URL_OF_MODEL,
    });
    expect(response.headers.get('request-id')).toBe('req_1');
    expect(response.headers.get('content-length')).toBe(String((await response.text()).length));
  });

  test('reads responses that fetch has decoded, whatever their headers say', async () => {
    const decoded = (body: object) => () =>
      Response.json(body, { headers: { 'content-encoding': 'gzip', 'content-length': '7' } });
    const { fetch } = scripted(decoded(SEARCH), decoded(WEATHER));
    const response = await fetch(URL_OF_MODEL, post(BODY));
    expect(await response.json()).toMatchObject({ content: [{ name: 'read_weather' }] });
  });

  test.each([
    ['text', () => BODY],
    ['a Uint8Array', () => new TextEncoder().encode(BODY)],
    ['an ArrayBuffer', () => new TextEncoder().encode(BODY).buffer],
    ['a stream', () => new Blob([BODY]).stream()],
  ])('takes a body that is %s', async (_, make) => {
    const { fetch, sent } = scripted(SEARCH, WEATHER);
    const response = await fetch(URL_OF_MODEL, post(make(), { duplex: 'half' } as RequestInit));
    expect(await response.json()).toMatchObject({ content: [{ name: 'read_weather' }] });
    expect(sent.map(({ text }) => text.includes('Tells the weather'))).toEqual([false, true]);
  });

  test('takes a Request, with its options', async () => {
    const { fetch, sent } = scripted(SEARCH, WEATHER);
    const response = await fetch(new Request(URL_OF_MODEL, post(BODY, { redirect: 'error' })));
    expect(await response.json()).toMatchObject({ content: [{ name: 'read_weather' }] });
    expect(sent.map(({ init }) => init.redirect)).toEqual(['error', 'error']);
    expect(sent.map(({ init }) => (init.headers as Headers).get('x-api-key'))).toEqual(['key', 'key']);
  });

  test.each(['object', 'pairs', 'Headers'])('keeps all of the headers given as %s', async (form) => {
    const { fetch, sent } = scripted(SEARCH, WEATHER);
    const given = {
      Cookie: 'session=1',
      'X-Forwarded-For': '1.2.3.4',
      'X-Winnow-Session': 's',
      Authorization: 'x',
    };
    const headers = { object: given, pairs: Object.entries(given), Headers: new Headers(given) }[form]!;
    await fetch(URL_OF_MODEL, post(BODY, { headers }));
    for (const { init } of sent) {
      expect(Object.fromEntries(init.headers as Headers)).toEqual({
        'accept-encoding': 'identity',
        authorization: 'x',
        'content-type': 'text/plain;charset=UTF-8',
        cookie: 'session=1',
        'x-forwarded-for': '1.2.3.4',
      });
    }
    expect(sent.length).toBe(2);
  });
});

describe('a fetch with Winnow passes on as they are', () => {
  const form = new FormData();
  const signed = {
    headers: { authorization: 'AWS4-HMAC-SHA256 Credential=AKID/2026/eu/bedrock/aws4_request' },
  };
  test.each<[string, string | URL | Request, RequestInit | undefined]>([
    ['other paths', 'https://api.example/v1/embeddings', post('{}')],
    ['other methods', URL_OF_MODEL, { method: 'GET' }],
    ['forms', URL_OF_MODEL, post(form)],
    ['parameters', new URL(URL_OF_MODEL), post(new URLSearchParams())],
    ['chats without tools', URL_OF_CHAT, post(CHAT)],
    ['chats that are too short to save enough', URL_OF_CHAT, post(CHAT_WITH_TOOLS)],
    ['signed requests', new Request(URL_OF_MODEL, { method: 'POST', body: BODY, ...signed }), undefined],
    ['requests that were aborted before', URL_OF_MODEL, post(BODY, { signal: AbortSignal.abort() })],
    ['addresses of other schemes', 'data:text/plain,hello', undefined],
    ['text that is no address', 'nowhere', post(BODY)],
  ])('%s', async (_, input, init) => {
    const given = new Response('given');
    const upstream = vi.fn<Fetch>(async () => given);
    expect(await winnowFetch(upstream)(input, init)).toBe(given);
    expect(upstream.mock.calls).toEqual([[input, init]]);
    expect(upstream.mock.calls[0]![0]).toBe(input);
    expect(upstream.mock.calls[0]![1]).toBe(init);
    expect(input instanceof Request && input.bodyUsed).toBe(false);
  });

  test('the response to a request that is left alone', async () => {
    const given = new Response('data: x\n\n', EVENTS);
    const { fetch, records, sent } = scripted(() => given);
    const response = await fetch(URL_OF_MODEL, post(PLAIN));
    expect(response).toBe(given);
    expect(response.bodyUsed).toBe(false);
    expect(await response.text()).toBe('data: x\n\n');
    expect(sent.map(({ text }) => text)).toEqual([PLAIN]);
    expect(records).toMatchObject([{ outcome: 'answered', planReason: 'no_function_tools' }]);
  });

  test('a chat without tools, recorded if the caller asks for it', async () => {
    const given = Response.json({});
    const { fetch, records } = scripted(() => given);
    expect(await fetch(URL_OF_CHAT, post(CHAT))).toBe(given);
    await vi.waitFor(() => expect(records).toMatchObject([{ planReason: 'no_function_tools' }]));
  });

  test("an upstream's errors", async () => {
    const limited = () =>
      Response.json({ error: 'slow down' }, { status: 429, headers: { 'retry-after': '7' } });
    const { fetch, sent } = scripted(limited);
    const response = await fetch(URL_OF_MODEL, post(BODY));
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toEqual({ error: 'slow down' });
    expect(sent.length).toBe(1);
  });

  test.each([
    ['edited', BODY],
    ['left alone', PLAIN],
  ])('the error of fetch, for a request that is %s', async (_, body) => {
    const error = new TypeError('fetch failed', {
      cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
    });
    const { fetch, sent, records } = scripted(() => Promise.reject(error));
    await expect(fetch(URL_OF_MODEL, post(body))).rejects.toBe(error);
    expect(sent.length).toBe(1);
    expect(records).toMatchObject([{ outcome: 'failed', cause: 'ECONNREFUSED' }]);
  });

  test('a request larger than the largest that is read', async () => {
    const given = Response.json(DONE);
    const upstream = vi.fn<Fetch>(async () => given);
    const fetch = winnowFetch(upstream, { settings: { ...DEFERS, 'server.max_body': 100 } });
    expect(await fetch(URL_OF_MODEL, post(BODY))).toBe(given);
    expect(upstream.mock.calls[0]![1]!.body).toBe(BODY);
  });

  test('a request for which there is no memory', async () => {
    const given = Response.json(DONE);
    const upstream = vi.fn<Fetch>(async () => given);
    const fetch = winnowFetch(upstream, { settings: DEFERS, memory: 60 });
    expect(await fetch(URL_OF_MODEL, post(BODY))).toBe(given);
    expect(upstream.mock.calls.map(([, init]) => init!.body)).toEqual([BODY]);
  });
});

test.each([
  ['a redirect that a browser does not follow', 0, 'opaqueredirect'],
  ['a status that the Fetch API cannot construct', 999, 'basic'],
])('a caller gets %s to a request whose tools are held back', async (_, status, type) => {
  const { fetch } = scripted(() => {
    const properties = { status: { value: status }, ok: { value: false }, type: { value: type } };
    return Object.defineProperties(new Response(null), properties);
  });
  const response = await fetch(URL_OF_MODEL, post(BODY, { redirect: 'manual' }));
  expect([response.ok, response.status, response.type]).toEqual([false, status, type]);
});

describe('a caller that leaves', () => {
  test.each([
    ['edited', BODY],
    ['left alone', PLAIN],
  ])('before the response, of a request that is %s, gets its own reason', async (_, body) => {
    const reason = new Error('enough');
    const leaving = new AbortController();
    let seen: AbortSignal | null | undefined;
    const upstream: Fetch = (_input, init) => {
      seen = init?.signal;
      return new Promise((_resolve, reject) => {
        seen?.addEventListener('abort', () => reject(seen?.reason));
        leaving.abort(reason);
      });
    };
    const records: ExchangeRecord[] = [];
    const fetch = winnowFetch(upstream, { settings: DEFERS, onRecord: (record) => records.push(record) });
    await expect(fetch(URL_OF_MODEL, post(body, { signal: leaving.signal }))).rejects.toBe(reason);
    expect(seen?.aborted).toBe(true);
    await vi.waitFor(() => expect(records).toMatchObject([{ outcome: 'client_gone' }]));
  });

  test('in the middle of a response ends it with its own reason, and the request to the upstream', async () => {
    const body = pieces();
    const { fetch, sent, records } = scripted(() => new Response(body.stream, EVENTS));
    const leaving = new AbortController();
    const response = await startOf(fetch(URL_OF_MODEL, post(BODY, { signal: leaving.signal })), body);
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('message_start');
    leaving.abort();
    await expect(reader.read()).rejects.toBe(leaving.signal.reason);
    expect(sent[0]!.init.signal!.aborted).toBe(true);
    await vi.waitFor(() => expect(records).toMatchObject([{ outcome: 'client_gone' }]));
    expect(body.state.isCancelled).toBe(true);
  });

  test('while its own body is being read ends that', async () => {
    const { fetch, sent } = scripted();
    const leaving = new AbortController();
    const cancelled = vi.fn();
    const body = new ReadableStream({ start: (own) => own.enqueue(new Uint8Array(1)), cancel: cancelled });
    const answer = fetch(URL_OF_MODEL, post(body, { signal: leaving.signal, duplex: 'half' }));
    leaving.abort(new Error('left'));
    await expect(answer).rejects.toThrow('left');
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
    expect(sent).toEqual([]);
  });

  test('by cancelling the body ends the request to the upstream', async () => {
    const body = pieces();
    const { fetch, records } = scripted(() => new Response(body.stream, EVENTS));
    const response = await startOf(fetch(URL_OF_MODEL, post(BODY)), body);
    await response.body!.cancel();
    await vi.waitFor(() => expect(records).toMatchObject([{ outcome: 'client_gone' }]));
    expect(body.state.isCancelled).toBe(true);
  });

  test('leaves no listener on a signal that lives longer', async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
    signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
    const fetch = winnowFetch(async () => Response.json(DONE), { settings: DEFERS });
    await (await fetch(URL_OF_MODEL, post(BODY, { signal }))).text();
    await (await fetch(URL_OF_MODEL, post(PLAIN, { signal }))).text();
    expect([...listeners]).toEqual([]);
  });
});

function delta(text: string): string {
  return event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never);
}

/** Waits for a response whose visible part begins. */
async function startOf(response: Promise<Response>, body: ReturnType<typeof pieces>): Promise<Response> {
  body.send(START + TEXT);
  return response;
}

describe('a stream', () => {
  test('reaches the caller piece by piece', async () => {
    const body = pieces();
    const { fetch } = scripted(() => new Response(body.stream, EVENTS));
    const response = await startOf(fetch(URL_OF_MODEL, post(BODY)), body);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toContain('"It"');
    body.send(delta(' will'));
    expect((await reader.read()).value).toContain('" will"');
    body.send(delta(' rain') + delta(' in'));
    expect((await reader.read()).value).toMatch(/" rain".*" in"/s);
  });

  test('that is read slowly slows the upstream down', async () => {
    const body = pieces();
    const { fetch } = scripted(() => new Response(body.stream, EVENTS));
    const response = await startOf(fetch(URL_OF_MODEL, post(BODY)), body);
    let sent = 0;
    // A piece is asked for only when the one before was taken.
    for (let asked = -1; asked !== body.state.pulled; ) {
      asked = body.state.pulled;
      body.send(delta('x'.repeat(10_000)));
      sent++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(sent).toBeGreaterThan(5);
    expect(sent).toBeLessThan(40);
    const reader = response.body!.getReader();
    await reader.read();
    const before = body.state.pulled;
    for (let count = 0; count < sent; count++) await reader.read();
    await vi.waitFor(() => expect(body.state.pulled).toBeGreaterThan(before));
  });
});

describe('options', () => {
  test('are those of the settings', () => {
    expect(readFetchOptions({})).toEqual({
      load: 'auto',
      settings: {
        'tools.always_keep': [],
        'tools.goal': 'balanced',
        'tools.max_search_results': 8,
        'tools.preload': 6,
      },
    });
    const options = {
      load: 'swap',
      alwaysKeep: ['read_*'],
      goal: 'context',
      maxSearchResults: 3,
      preload: 0,
    };
    expect(readFetchOptions(options)).toEqual({
      load: 'swap',
      settings: {
        'tools.always_keep': ['read_*'],
        'tools.goal': 'context',
        'tools.max_search_results': 3,
        'tools.preload': 0,
      },
    });
  });

  test.each([
    [{ alwayskeep: [] }, 'there is no option alwayskeep; the nearest one is alwaysKeep.'],
    [{ preload: -1 }, 'the option preload must be a whole number from 0 to 1000.'],
    [{ load: 'fast' }, 'the option load must be one of auto, native, bridge, swap.'],
  ])('%o are refused', (options, message) => {
    expect(() => readFetchOptions(options)).toThrow(new TypeError(message));
  });

  test('let a caller keep tools, and its callback may fail', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const sent: string[] = [];
    const upstream: Fetch = async (_, init) => {
      sent.push(Buffer.from(init!.body as Uint8Array).toString());
      return Response.json(DONE);
    };
    const settings = { ...DEFERS, 'tools.always_keep': ['send_*'] };
    const onRecord = () => {
      throw new Error('secret');
    };
    const response = await winnowFetch(upstream, { settings, load: 'swap', onRecord })(
      URL_OF_MODEL,
      post(BODY),
    );
    expect(await response.json()).toEqual(DONE);
    expect(sent[0]).toContain('Sends an e-mail');
    expect(sent[0]).not.toContain('Tells the weather');
    await vi.waitFor(() => expect(logged).toHaveBeenCalledOnce());
    expect(logged.mock.calls.join()).toContain('"event":"defect"');
    expect(logged.mock.calls.join()).not.toContain('secret');
    logged.mockRestore();
  });
});
