import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, callTool, say } from '../src/upstream/answer-parts.ts';
import type { Delivery } from '../src/upstream/delivery.ts';
import { createGate } from '../src/upstream/gate.ts';
import { waitFor } from '../src/upstream/interruption.ts';
import type { MessageAnswer, ScriptedAnswer } from '../src/upstream/scripted-answer.ts';
import { askChat, askMessages, HEADERS, readChunks, start } from './ask.ts';

// Two, three and four bytes long in UTF-8.
const scripted = (more: Partial<MessageAnswer> = {}): MessageAnswer =>
  answer([say('Grüße ', '世界 ', '🌦'), callTool('add', { a: 1 })], more);

/** The chunks in which a stream arrives, as text in which each character is one byte. */
async function chunksOf(delivery: Delivery, ask = askChat): Promise<string[]> {
  const upstream = await start({ script: [scripted({ delivery })] });
  return readChunks(await ask(upstream, { stream: true }));
}

/** As the network hands the bytes out, undecoded. */
async function rawBytes(
  script: readonly ScriptedAnswer[],
): Promise<{ readonly bytes: Buffer; readonly encoding: unknown }> {
  const upstream = await start({ script });
  const body = { model: 'gpt-test', stream: true, messages: [{ role: 'user', content: 'Hello' }] };
  const asking = request(`${upstream.url}/v1/chat/completions`, { method: 'POST', headers: HEADERS });
  asking.end(JSON.stringify(body));
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  return { bytes: await buffer(response), encoding: response.headers['content-encoding'] };
}

const plain = (await_: Promise<string[]>): Promise<string> => await_.then((chunks) => chunks.join(''));

describe('a body', () => {
  test('is cut at its events', async () => {
    const chunks = await chunksOf({});
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.every((chunk) => /^data: [^\n]+\n\n$/.test(chunk))).toBe(true);
  });

  test('is cut at every byte', async () => {
    const chunks = await chunksOf({ cut: 'bytes' });
    expect(chunks.every((chunk) => chunk.length === 1)).toBe(true);
    expect(chunks.join('')).toBe(await plain(chunksOf({})));
  });

  test('is cut at any position, inside a character as well', async () => {
    const whole = await plain(chunksOf({}));
    const inside = whole.indexOf(Buffer.from('🌦').toString('latin1')) + 2;
    for (const position of [1, 5, inside, whole.length - 1]) {
      expect(await chunksOf({ cut: [position] })).toEqual([whole.slice(0, position), whole.slice(position)]);
    }
  });

  test('is cut at several positions, in whatever order they are named', async () => {
    const whole = await plain(chunksOf({}));
    expect(await chunksOf({ cut: [20, 3] })).toEqual([
      whole.slice(0, 3),
      whole.slice(3, 20),
      whole.slice(20),
    ]);
  });

  test('is compressed so that every event can be read when it has been sent', async () => {
    const gate = createGate();
    const upstream = await start({
      script: [answer([say('Hi', waitFor(gate))], { delivery: { isGzipped: true } })],
    });
    const response = await askChat(upstream, { stream: true });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('"Hi"')) text += (await reader.read()).value;
    gate.open();
    expect(text).not.toContain('[DONE]');
  });

  test('is compressed and cut at every byte', async () => {
    const delivery = { isGzipped: true, cut: 'bytes' } as const;
    const { bytes, encoding } = await rawBytes([scripted({ delivery })]);
    expect(encoding).toBe('gzip');
    expect(gunzipSync(bytes).toString('latin1')).toBe(await plain(chunksOf({})));
  });

  test('of a whole answer is cut and compressed as well', async () => {
    const upstream = await start({
      script: [
        scripted(),
        scripted({
          id: 'chatcmpl-000000000000x000',
          createdSeconds: 1_790_000_000,
          delivery: { isGzipped: true, cut: [7] },
        }),
      ],
    });
    const [first, second] = [await (await askChat(upstream)).json(), await (await askChat(upstream)).json()];
    expect(second).toMatchObject({
      ...(first as object),
      choices: [{ message: { content: 'Grüße 世界 🌦' } }],
    });
  });
});

describe('a stream', () => {
  test.each(['\r\n', '\r'] as const)('has %j at the end of every line', async (lineEnd) => {
    const text = await plain(chunksOf({ lineEnd }, askMessages));
    expect(text.replaceAll(lineEnd, '\n')).toBe(await plain(chunksOf({}, askMessages)));
    expect(text.replaceAll(lineEnd, '')).not.toMatch(/[\r\n]/);
  });

  test('has a comment before every event', async () => {
    const text = await plain(chunksOf({ before: 'comment' }));
    expect(text.split(': keep-alive\n').slice(1).join('')).toBe(await plain(chunksOf({})));
    expect(text).toMatch(/^: keep-alive\ndata: /);
  });

  test('has a ping before every event where the format has one, and a comment elsewhere', async () => {
    const ping = 'event: ping\ndata: {"type": "ping"}\n\n';
    expect(await plain(chunksOf({ before: 'ping' }, askMessages))).toMatch(
      new RegExp(`^${ping}event: message_start`),
    );
    expect(await plain(chunksOf({ before: 'ping' }))).toMatch(/^: keep-alive\n\ndata: /);
  });

  test.each([askChat, askMessages])('may lack its last blank line', async (ask) => {
    const whole = await plain(chunksOf({}, ask));
    expect(await plain(chunksOf({ hasNoFinalBlankLine: true }, ask))).toBe(whole.slice(0, -1));
  });

  test('may end anywhere, as if nothing were wrong', async () => {
    const whole = await plain(chunksOf({}));
    expect(await plain(chunksOf({ truncate: { afterBytes: 100, by: 'end' } }))).toBe(whole.slice(0, 100));
  });

  test('may break off anywhere, after the bytes that were sent', async () => {
    const upstream = await start({
      script: [scripted({ delivery: { truncate: { afterBytes: 100, by: 'destroy' } } })],
    });
    const response = await askChat(upstream, { stream: true });
    let bytes = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of response.body!) bytes += chunk.length;
    };
    await expect(read()).rejects.toThrow('terminated');
    expect(bytes).toBe(100);
    expect(await upstream.requests[0]?.answer.ended).toBe('broken-off');
  });
});

describe('in the middle of a stream', () => {
  test('the upstream stalls until its gate opens', async () => {
    const gate = createGate();
    const upstream = await start({ script: [answer([say('one', waitFor(gate), 'two')])] });
    const response = await askChat(upstream, { stream: true });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('one')) text += (await reader.read()).value;
    await gate.reached;
    expect(upstream.requests[0]?.answer.hasEnded).toBe(false);
    gate.open();
    let rest = '';
    for (let step = await reader.read(); !step.done; step = await reader.read()) rest += step.value;
    expect(text).not.toContain('two');
    expect(rest).toContain('two');
  });

  test('a stall sends what a later cut has held back', async () => {
    const gate = createGate();
    const delivery = { cut: [1_000_000] };
    const upstream = await start({ script: [answer([say('one', waitFor(gate), 'two')], { delivery })] });
    const response = await askChat(upstream, { stream: true });
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    gate.open();
    expect(Buffer.from(value!).toString()).toMatch(/"one"/);
  });

  test.each([
    [askChat, 'data: {"error":{"message":"Too busy","type":"server_error","param":null,"code":null}}\n\n'],
    [
      askMessages,
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Too busy"}}\n\n',
    ],
  ] as const)('an error of the provider ends it (%#)', async (ask, error) => {
    const upstream = await start({
      script: [answer([say('one', { type: 'error', message: 'Too busy' }, 'two')])],
    });
    const text = await (await ask(upstream, { stream: true })).text();
    expect(text.endsWith(error)).toBe(true);
    expect(text).toContain('one');
    expect(text).not.toContain('two');
  });

  test('the body ends although the message does not', async () => {
    const upstream = await start({ script: [answer([say('one', { type: 'end' }, 'two')])] });
    const text = await (await askChat(upstream, { stream: true })).text();
    expect(text).toMatch(/"one".*\n\n$/);
    expect(text).not.toMatch(/two|finish_reason":"|DONE/);
  });

  test('the connection is destroyed after the events that were sent', async () => {
    const upstream = await start({ script: [answer([say('one', { type: 'destroy' }, 'two')])] });
    const response = await askChat(upstream, { stream: true });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const chunk of response.body!) text += Buffer.from(chunk).toString();
    };
    await expect(read()).rejects.toThrow('terminated');
    expect(text).toMatch(/"one"/);
  });

  test('comments, pings and bytes of any kind stand where the script has them', async () => {
    const odd = [
      { type: 'comment', text: 'OPENROUTER PROCESSING' },
      { type: 'ping' },
      { type: 'bytes', bytes: 'event: unknown\ndata: {}\n\n' },
    ] as const;
    const upstream = await start({ script: [answer([say('one', ...odd, 'two')])] });
    const text = await (await askMessages(upstream, { stream: true })).text();
    const [, between] = /"one"}}\n\n(.*)event: content_block_delta/s.exec(text) ?? [];
    expect(between).toBe(
      ': OPENROUTER PROCESSING\nevent: ping\ndata: {"type": "ping"}\n\nevent: unknown\ndata: {}\n\n',
    );
  });
});

describe('a whole answer', () => {
  test('waits at the gates of its script', async () => {
    const gate = createGate();
    const upstream = await start({ script: [answer([say('one', waitFor(gate))])] });
    const asking = askChat(upstream).then((response) => response.text());
    await gate.reached;
    expect(upstream.requests[0]?.answer.writtenBytes).toBe(0);
    gate.open();
    expect(await asking).toContain('one');
  });

  test('is an error where a stream would have one in the middle', async () => {
    const script = [
      answer([say('one', { type: 'error', message: 'Too busy', errorType: 'overloaded_error' })]),
    ];
    const response = await askMessages(await start({ script }));
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { type: 'overloaded_error', message: 'Too busy' } });
  });
});

test('headers come when their gate opens', async () => {
  const headersAfter = createGate();
  const upstream = await start({ script: [scripted({ delivery: { headersAfter } })] });
  const asking = askChat(upstream);
  await headersAfter.reached;
  expect(upstream.requests[0]?.answer.status).toBeUndefined();
  headersAfter.open();
  expect((await asking).status).toBe(200);
  expect(upstream.requests[0]?.answer.status).toBe(200);
});

describe('the progress of an answer', () => {
  test('counts the bytes that were sent', async () => {
    const upstream = await start({ script: [scripted()] });
    const body = await (await askChat(upstream, { stream: true })).arrayBuffer();
    const [received] = upstream.requests;
    expect(await received?.answer.ended).toBe('finished');
    expect(received?.answer).toMatchObject({
      writtenBytes: body.byteLength,
      acceptedBytes: body.byteLength,
      isAborted: false,
    });
  });

  test('tells when the client has left, even at a gate', async () => {
    const gate = createGate();
    const upstream = await start({ script: [answer([say('one', waitFor(gate), 'two')])] });
    const leaving = new AbortController();
    const response = await askChat(upstream, { stream: true }, { signal: leaving.signal });
    await gate.reached;
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    expect(await upstream.requests[0]?.answer.ended).toBe('client-left');
    expect(upstream.requests[0]?.answer.isAborted).toBe(true);
  });

  test('tells when the client has left before the headers', async () => {
    const headersAfter = createGate();
    const upstream = await start({ script: [scripted({ delivery: { headersAfter } })] });
    const leaving = new AbortController();
    const asking = askChat(upstream, {}, { signal: leaving.signal });
    const { answer: progress } = await upstream.received(0);
    leaving.abort();
    await expect(asking).rejects.toThrow();
    expect(await progress.ended).toBe('client-left');
    expect(progress.writtenBytes).toBe(0);
  });

  test('makes no event that the client has no room for', async () => {
    let made = 0;
    function* endless(): Generator<string> {
      for (;;) {
        made += 1;
        yield 'x'.repeat(64 * 1024);
      }
    }
    const upstream = await start({
      script: [answer([{ type: 'text', pieces: endless() }]), answer([say('Hi')])],
    });
    const leaving = new AbortController();
    await askChat(upstream, { stream: true }, { signal: leaving.signal });
    const { answer: progress } = await upstream.received(0);
    // Another exchange runs from start to end while the first is not read.
    await (await askChat(upstream)).text();
    leaving.abort();
    expect(await progress.ended).toBe('client-left');
    expect(progress.pauses).toBeGreaterThan(0);
    expect(made * 64 * 1024).toBeLessThan(progress.writtenBytes + 1024 * 1024);
  });

  test('stops while the client does not read, and continues when it does', async () => {
    const pieceBytes = 64 * 1024;
    const pieces = 1024;
    let made = 0;
    function* endless(): Generator<string> {
      for (; made < pieces; made += 1) yield 'x'.repeat(pieceBytes);
    }
    const upstream = await start({ script: [{ kind: 'bytes', body: endless() }, answer([say('Hi')])] });
    const response = await askChat(upstream);
    // Another exchange runs from start to end while the first is not read.
    await (await askChat(upstream)).text();
    const { answer: progress } = await upstream.received(0);
    expect(progress.pauses).toBeGreaterThan(0);
    expect(made).toBeLessThan(pieces);
    expect(progress.acceptedBytes).toBeLessThan(pieceBytes * pieces);
    expect((await response.arrayBuffer()).byteLength).toBe(pieceBytes * pieces);
    expect(await progress.ended).toBe('finished');
  });
});
