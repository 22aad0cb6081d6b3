import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { type AddressInfo, connect as connectRaw } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from '../src/create-http-server.ts';
import { Drain, startServing } from '../src/start-serving.ts';

interface Running {
  readonly server: Server;
  readonly url: string;
  /** Requests received so far. */
  readonly seen: {
    readonly url: string | undefined;
    readonly headers: Record<string, unknown>;
    readonly raw: readonly string[];
  }[];
}

const echo: RequestListener = async (incoming, outgoing) => {
  let text = '';
  for await (const piece of incoming) text += piece;
  outgoing.writeHead(200, [
    'content-type',
    'text/plain',
    'connection',
    'close',
    'set-cookie',
    'a=1',
    'set-cookie',
    'b=2',
  ]);
  outgoing.end(`${incoming.method} ${incoming.url} ${text}`);
};

async function start(
  listener: RequestListener = echo,
  keepAliveMs = 60_000,
  headTimeoutMs = 60_000,
): Promise<Running> {
  const seen: Running['seen'] = [];
  const server = createHttpServer(
    (incoming, outgoing) => {
      seen.push({ url: incoming.url, headers: incoming.headers, raw: incoming.rawHeaders });
      listener(incoming, outgoing);
    },
    {
      headTimeoutMs,
      keepAliveMs,
      speaksHttp2: true,
      refuseHead: (error, socket) => socket.end(`late: ${error.code}`),
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function open(url: string): ClientHttp2Session {
  const session = connect(url);
  session.on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

async function read(
  stream: ClientHttp2Stream,
): Promise<{ status: number; headers: Record<string, unknown>; text: string }> {
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  await once(stream, 'end');
  return { status: Number(headers[':status']), headers, text: Buffer.concat(pieces).toString() };
}

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const [HEADERS, RESET, SETTINGS, PING] = [1, 3, 4, 6];
const END_HEADERS = 4;
/** POST, http, / and an authority; the first three come from the static table. */
const PLAIN_HEAD = [0x83, 0x86, 0x84, 0x01, 1, 0x61];

function frame(type: number, flags: number, stream: number, payload: readonly number[]): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, Buffer.from(payload)]);
}

/** Whether a piece ends with the reply to a ping: eight bytes after their frame's head. */
function isPong([piece]: unknown[]): boolean {
  const end = (piece as Buffer).subarray(-17);
  return end.length === 17 && end[3] === PING && end[4] === 1;
}

const post = (session: ClientHttp2Session, body: string, headers = {}) => {
  const stream = session.request({ ':method': 'POST', ':path': '/a?b=c', ...headers });
  stream.on('error', () => {});
  stream.end(body);
  return stream;
};

describe('one port', () => {
  test('serves both versions with one listener, whose requests read alike', async () => {
    const { url, seen } = await start();
    const session = open(url);
    const answer = await read(post(session, 'hello', { 'x-one': '1' }));
    expect(answer).toMatchObject({
      status: 200,
      text: 'POST /a?b=c hello',
      headers: { 'set-cookie': ['a=1', 'b=2'] },
    });
    expect(answer.headers.connection).toBeUndefined();
    const plain = await fetch(`${url}/a?b=c`, { method: 'POST', body: 'hello', headers: { 'x-one': '1' } });
    expect(await plain.text()).toBe('POST /a?b=c hello');
    const [second, first] = [seen[0]!, seen[1]!];
    expect(second.headers).toMatchObject({
      host: new URL(url).host,
      'x-one': '1',
      'transfer-encoding': 'chunked',
    });
    expect(first.headers).toMatchObject({ host: new URL(url).host, 'x-one': '1' });
    expect(second.raw.filter((name) => name.startsWith(':'))).toEqual([]);
    expect(second.raw).toContain('host');
  });

  test.each([
    ['P', 'OST'],
    ['PR', 'OPFIND'],
    ['', 'GET'],
  ])('waits for enough bytes to tell the version: %j, then %s', async (first, rest) => {
    const { url, seen } = await start();
    const socket = connectRaw(Number(new URL(url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (piece) => {
      text += piece;
    });
    const closed = once(socket, 'close');
    for (const character of `${first}${rest} / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`) {
      socket.write(character);
      await sleep(1);
    }
    await closed;
    expect(text).toContain('HTTP/1.1 200');
    expect(text).toContain(`${first}${rest} /`);
    expect(seen).toHaveLength(1);
  });

  test.each(['', 'PR'])('abandons a connection without bytes after %j', async (first) => {
    const { url } = await start(echo, 60_000, 50);
    const socket = connectRaw(Number(new URL(url).port), '127.0.0.1');
    if (first) socket.write(first);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toBe('late: ERR_HTTP_REQUEST_TIMEOUT');
  });

  test('ends a connection that begins with HTTP/2 and continues with something else', async () => {
    const { url } = await start();
    const socket = connectRaw(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'nonsense '.repeat(100)}`);
    socket.resume();
    await once(socket, 'close');
    expect((await fetch(url)).status).toBe(200);
  });
});

describe('bounds', () => {
  test('1,000 requests at once run a hundred at a time, and all are answered', async () => {
    let running = 0;
    let most = 0;
    const { url } = await start(async (incoming, outgoing) => {
      running += 1;
      most = Math.max(most, running);
      incoming.resume();
      await sleep(1);
      running -= 1;
      outgoing.end('ok');
    });
    const session = open(url);
    await once(session, 'remoteSettings');
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => read(post(session, ''))));
    expect(answers.every(({ text }) => text === 'ok')).toBe(true);
    expect(most).toBeLessThanOrEqual(100);
    expect(most).toBeGreaterThan(10);
  });

  test('a flood of resets ends only its session', async () => {
    const { url, seen } = await start();
    const session = open(url);
    await once(session, 'remoteSettings');
    const other = open(url);
    let errorCode: number | undefined;
    session.on('goaway', (code) => {
      errorCode = code;
    });
    let sent = 0;
    while (!session.closed && !session.destroyed && sent < 20_000) {
      for (let count = 0; count < 50 && !session.destroyed && !session.closed; count += 1) {
        const stream = session.request({ ':method': 'POST', ':path': '/' });
        stream.on('error', () => {});
        stream.close(constants.NGHTTP2_CANCEL);
        sent += 1;
      }
      await sleep(1);
    }
    expect(errorCode).toBeDefined();
    expect(errorCode).not.toBe(constants.NGHTTP2_NO_ERROR);
    expect(sent).toBeLessThan(20_000);
    expect(seen.length).toBeLessThan(5_000);
    expect((await read(post(other, 'x'))).status).toBe(200);
  });

  test('requests that are cancelled at once delay no other', async () => {
    let waiting = 0;
    const { url } = await start(async (incoming, outgoing) => {
      waiting += 1;
      // A listener that reads the head first reads the body a little later.
      await Promise.resolve();
      await new Promise((resolve) => incoming.once('end', resolve).once('aborted', resolve).resume());
      waiting -= 1;
      outgoing.end('ok');
    });
    const socket = connectRaw(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    const frames = Array.from({ length: 50 }, (_, at) => [
      frame(HEADERS, END_HEADERS, 2 * at + 1, PLAIN_HEAD),
      frame(RESET, 0, 2 * at + 1, [0, 0, 0, constants.NGHTTP2_CANCEL]),
    ]).flat();
    socket.write(Buffer.concat([Buffer.from(PREFACE), frame(SETTINGS, 0, 0, []), ...frames]));
    // The reply to this ping follows all responses to them.
    socket.write(frame(PING, 0, 0, new Array(8).fill(0)));
    while (!isPong(await once(socket, 'data')));
    expect((await read(post(open(url), 'x'))).text).toBe('ok');
    expect(waiting).toBe(0);
  });

  test.each([
    ['a long value', { 'x-long': 'x'.repeat(40_000) }],
    // Its size in bytes is unremarkable.
    [
      'more fields than are taken',
      Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`x${at}`, 'v'])),
    ],
    ['many fields', Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`x-${at}`, 'v']))],
    [
      'one field again and again, which is a byte each time',
      { 'x-same': Array.from({ length: 5_000 }, () => 'same value '.repeat(20)) },
    ],
  ])('refuses a head with %s, and continues', async (_, headers) => {
    const { url, seen } = await start();
    const session = open(url);
    await once(session, 'remoteSettings');
    const stream = post(session, '', headers as Record<string, string>);
    let status: unknown;
    stream.on('response', (head) => {
      status = head[':status'];
    });
    stream.resume();
    await new Promise((resolve) => stream.once('close', resolve));
    expect(status).not.toBe(200);
    expect(seen).toEqual([]);
    expect((await read(post(open(url), 'x'))).status).toBe(200);
  });

  test('a session that reads nothing stays within its memory', async () => {
    const { url } = await start((incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, {});
      outgoing.end(Buffer.alloc(2 * 2 ** 20));
    });
    const session = connect(url, { settings: { initialWindowSize: 0 } });
    session.on('error', () => {});
    onTestFinished(() => session.destroy());
    await once(session, 'remoteSettings');
    const outcomes: string[] = [];
    while (outcomes.length < 60 && !outcomes.includes('refused')) {
      const stream = post(session, '');
      outcomes.push(
        await new Promise((resolve) => {
          stream.once('response', () => resolve('answered'));
          stream.once('close', () => resolve('refused'));
        }),
      );
    }
    expect(outcomes.at(-1)).toBe('refused');
    expect(outcomes.length).toBeGreaterThan(5);
    expect((await read(post(open(url), 'x'))).status).toBe(200);
  });

  test('an idle session is closed, and one that waits for its response is not', async () => {
    const { url } = await start(async (incoming, outgoing) => {
      incoming.resume();
      await sleep(400);
      outgoing.end('slow');
    }, 100);
    const idle = open(url);
    const closed = once(idle, 'close');
    const waiting = open(url);
    expect((await read(post(waiting, ''))).text).toBe('slow');
    await closed;
  });
});

test('a client that ends its connection abandons its waiting requests', async () => {
  const asked = Promise.withResolvers<void>();
  const left = Promise.withResolvers<boolean>();
  const { url } = await start((incoming, outgoing) => {
    incoming.resume();
    outgoing.once('close', () => left.resolve(outgoing.writableFinished));
    asked.resolve();
  });
  const { hostname, port } = new URL(url);
  const socket = connectRaw({ host: hostname, port: Number(port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  // A client that has left does not answer the server's end with a reset, which would also reveal it.
  const session = connect(url, { createConnection: () => socket });
  session.on('error', () => {});
  const stream = session.request({ ':path': '/' });
  stream.on('error', () => {});
  await asked.promise;
  socket.end();
  expect(await left.promise).toBe(false);
});

test('a response before the end of its request is whole, and the rest of the request is dropped', async () => {
  const { url } = await start((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(413, {});
    outgoing.end('x'.repeat(500_000));
  });
  const session = open(url);
  const stream = session.request({ ':method': 'POST', ':path': '/' });
  stream.write('the beginning');
  const answer = await read(stream);
  expect(answer).toMatchObject({ status: 413 });
  expect(answer.text).toHaveLength(500_000);
  await new Promise((resolve) => (stream.closed ? resolve(undefined) : stream.once('close', resolve)));
  expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
});

test('a response that is cut off is an error for its client', async () => {
  const { url } = await start((incoming, outgoing) => {
    incoming.resume();
    outgoing.writeHead(200, {});
    outgoing.write('half', () => outgoing.destroy());
  });
  const stream = post(open(url), '');
  stream.resume();
  const [error] = (await once(stream, 'error')) as [Error];
  expect(error.message).toContain('NGHTTP2_INTERNAL_ERROR');
});

test('a service drains: running requests finish, clients are notified, and no session stays', async () => {
  const drain = new Drain();
  const server = createHttpServer(
    async (incoming, outgoing) => {
      const end = drain.begin();
      incoming.resume();
      await sleep(150);
      outgoing.end('whole');
      end();
    },
    {
      headTimeoutMs: 60_000,
      keepAliveMs: 60_000,
      speaksHttp2: true,
      refuseHead: (_, socket) => void socket.destroy(),
    },
  );
  const service = await startServing({
    server,
    host: '127.0.0.1',
    port: 0,
    drain,
    drainDelayMs: 0,
    drainTimeoutMs: 5_000,
    deadline: (timeoutMs) => AbortSignal.timeout(timeoutMs),
    onStopped: async () => {},
  });
  const session = open(service.url);
  const goaway = once(session, 'goaway');
  const answer = read(post(session, ''));
  await sleep(30);
  const closing = service.close();
  await goaway;
  expect((await answer).text).toBe('whole');
  expect(await closing).toBe(true);
  expect(session.closed || session.destroyed).toBe(true);
});
