import { connect, type Socket } from 'node:net';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { answer, createGate, say, startUpstream, type UpstreamOptions, waitFor } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bodyOf, send } from './raw-client.ts';

const DELAY_MS = 11_000;
const TIMEOUT_MS = 22_000;
const PARTING_MS = 1_000;

/** A proxy whose timers fire when the test decides. */
async function startDrainable(script: NonNullable<UpstreamOptions['script']>, delay = `${DELAY_MS}ms`) {
  const upstream = await startUpstream({ script });
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_SERVER_DRAIN_DELAY: delay,
      PROXY_SERVER_DRAIN_TIMEOUT: `${TIMEOUT_MS}ms`,
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
      PROXY_RECORDS_FILE: 'none',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: upstream.url,
    },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  const times = new Map<number, AbortController>();
  const time = (ms: number) => {
    const controller = times.get(ms) ?? new AbortController();
    times.set(ms, controller);
    return controller;
  };
  const proxy = await startProxy(outcome.config, {
    ...systemEffects(() => {}),
    deadline: (ms) => time(ms).signal,
  });
  onTestFinished(async () => {
    for (const ms of [DELAY_MS, TIMEOUT_MS, PARTING_MS]) time(ms).abort();
    await proxy.close();
    await upstream.close();
  });
  return { proxy, upstream, url: proxy.url, pass: (ms: number) => time(ms).abort() };
}

/** A kept-alive connection, and everything received on it. */
async function keptAlive(url: string, options: { allowHalfOpen?: boolean } = {}) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), ...options });
  let received = '';
  let error: Error | undefined;
  socket.on('data', (piece) => {
    received += piece;
  });
  socket.on('error', (cause) => {
    error = cause;
  });
  socket.write('GET /_winnow/healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  while (!received.includes('{"status":"ok"}')) await turn();
  received = '';
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, closed, received: () => received, error: () => error };
}

type KeptAlive = Awaited<ReturnType<typeof keptAlive>>;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The bytes of a request. */
function chatRequest(): string {
  const body = bodyOf({ format: 'openai', url: '' });
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: x',
    'authorization: Bearer key',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

async function expectRefused({ received, error, closed }: KeptAlive): Promise<void> {
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 503 /);
  expect(received()).toMatch(/\r\nretry-after: 1\r\n/);
  expect(received()).toMatch(/\r\nconnection: close\r\n/i);
  expect(received()).toContain('"code":"draining"');
  expect(error()).toBeUndefined();
}

/** A proxy that drains and refuses requests while one stream is still running. */
async function startRefusing() {
  const gate = createGate();
  const drainable = await startDrainable([answer([say('first ', waitFor(gate), 'last')])], '0s');
  const stream = await send({ format: 'openai', url: drainable.url, isStream: true });
  await gate.reached;
  return { ...drainable, gate, stream };
}

describe('while the drain delay runs, the proxy', () => {
  test('says that it is draining, and answers every request as the last one of its connection', async () => {
    const { proxy, url, pass } = await startDrainable([answer([say('still here')])]);
    const connection = await keptAlive(url);
    const closing = proxy.close();
    const ready = await fetch(`${url}/_winnow/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining' }]);
    connection.socket.write(chatRequest());
    await connection.closed;
    expect(connection.received()).toMatch(/^HTTP\/1\.1 200 /);
    expect(connection.received()).toMatch(/\r\nconnection: close\r\n/i);
    expect(connection.received()).toContain('still here');
    pass(DELAY_MS);
    expect(await closing).toBe(true);
  });

  test('makes an answer that has not begun the last one of its connection as well', async () => {
    const { proxy, url, upstream, pass } = await startDrainable([answer([say('late')])]);
    const answered = send({ format: 'openai', url });
    await upstream.received(0);
    const closing = proxy.close();
    const response = await answered;
    expect(response.headers.get('connection')).toBe('close');
    await response.text();
    pass(DELAY_MS);
    expect(await closing).toBe(true);
  });
});

describe('after the drain delay, the proxy', () => {
  test('refuses new requests with 503 until the last stream is over, and ends it whole', async () => {
    const { proxy, url, gate, stream } = await startRefusing();
    const connection = await keptAlive(url);
    const closing = proxy.close();
    connection.socket.write(chatRequest());
    await expectRefused(connection);
    expect((await fetch(`${url}/v1/models`)).status).toBe(503);
    gate.open();
    expect(await stream.text()).toContain('[DONE]');
    expect(await closing).toBe(true);
  });

  test('lets a client that is still uploading read that it is refused', async () => {
    const { proxy, url, gate, stream } = await startRefusing();
    const connection = await keptAlive(url);
    const closing = proxy.close();
    const body = Buffer.alloc(8_000_000);
    connection.socket.write(`POST /v1/files HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`);
    connection.socket.write(body);
    await expectRefused(connection);
    gate.open();
    await stream.text();
    expect(await closing).toBe(true);
  });

  test('cuts off what is not over when the drain time is, and says so', async () => {
    const { proxy, stream, pass } = await startRefusing();
    const closing = proxy.close();
    pass(TIMEOUT_MS);
    expect(await closing).toBe(false);
    await expect(stream.text()).rejects.toThrow();
  });
});

describe('at the very end', () => {
  test('requests that came on connections that were kept alive are refused, none is reset', async () => {
    const { proxy, url } = await startDrainable([], '0s');
    const connections = await Promise.all(Array.from({ length: 50 }, () => keptAlive(url)));
    for (const { socket } of connections) socket.write(chatRequest());
    const closing = proxy.close();
    await Promise.all(connections.map(expectRefused));
    expect(await closing).toBe(true);
  });

  test('a request whose beginning has arrived is refused once it is complete', async () => {
    const { proxy, url } = await startDrainable([], '0s');
    const connection = await keptAlive(url);
    const request = chatRequest();
    connection.socket.write(request.slice(0, 20));
    const closing = proxy.close();
    for (let count = 0; count < 10; count++) await turn();
    connection.socket.write(request.slice(20));
    await expectRefused(connection);
    expect(await closing).toBe(true);
  });

  test('connections on which nothing comes are ended, not reset', async () => {
    const { proxy, url } = await startDrainable([], '0s');
    const connection = await keptAlive(url);
    await proxy.close();
    await connection.closed;
    expect([connection.received(), connection.error()]).toEqual(['', undefined]);
  });

  test('a client that does not close its end is waited for only so long', async () => {
    const { proxy, url, pass } = await startDrainable([], '0s');
    const connection = await keptAlive(url, { allowHalfOpen: true });
    let isClosed = false;
    const closing = proxy.close().then(() => {
      isClosed = true;
    });
    await ended(connection.socket);
    expect(isClosed).toBe(false);
    pass(PARTING_MS);
    await closing;
    connection.socket.destroy();
  });
});

function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('end', () => resolve()));
}
