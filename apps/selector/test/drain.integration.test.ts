import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { connectTo, type RawConnection, searchHead } from './raw-exchange.ts';
import { start, TOOLS } from './start.ts';

const TIMEOUT_MS = 22_000;
const PARTING_MS = 1_000;

const BODY = JSON.stringify({ pattern: 'weather', tools: TOOLS });
const REQUEST = searchHead({ 'content-length': BODY.length }) + BODY;

/** A selector whose times are over when the test says so. */
async function startDrainable() {
  const times = new Map<number, AbortController>();
  const time = (ms: number) => {
    const controller = times.get(ms) ?? new AbortController();
    times.set(ms, controller);
    return controller;
  };
  const selector = await start({ drainTimeoutMs: TIMEOUT_MS }, { deadline: (ms) => time(ms).signal });
  return { ...selector, pass: (ms: number) => time(ms).abort() };
}

/** A connection that has been used and is kept alive. */
async function keptAlive(url: string): Promise<RawConnection & { readonly error: () => Error | undefined }> {
  const connection = await connectTo(url);
  let error: Error | undefined;
  connection.socket.on('error', (cause) => {
    error = cause;
  });
  connection.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await connection.receive(/\{"status":"alive"\}$/);
  return { ...connection, error: () => error };
}

describe('at the very end', () => {
  it('searches on kept-alive connections are refused, not reset', async () => {
    const { url, close } = await startDrainable();
    const connections = await Promise.all(Array.from({ length: 50 }, () => keptAlive(url)));
    for (const connection of connections) connection.write(REQUEST);
    const closing = close();
    for (const connection of connections) {
      expect(await connection.closed()).toMatch(/HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*"overloaded"/s);
      expect(connection.error()).toBeUndefined();
    }
    expect(await closing).toBe(true);
  });

  it('a client that is still uploading reads that it is refused', async () => {
    const { url, close } = await startDrainable();
    const running = await connectTo(url);
    running.write(searchHead({ 'content-length': BODY.length, expect: '100-continue' }));
    await running.receive(/100 Continue/);
    const connection = await keptAlive(url);
    const closing = close();
    connection.write(searchHead({ 'content-length': 8_000_000 }));
    connection.write(Buffer.alloc(8_000_000));
    expect(await connection.closed()).toMatch(/HTTP\/1\.1 503 /);
    expect(connection.error()).toBeUndefined();
    running.write(BODY);
    expect(await running.closed()).toContain('{"selected_names":["get_weather"]}');
    expect(await closing).toBe(true);
  });

  it('idle connections are ended, not reset', async () => {
    const { url, close } = await startDrainable();
    const connection = await keptAlive(url);
    await close();
    await connection.closed();
    expect(connection.error()).toBeUndefined();
  });

  it('the wait for a client that does not close its end is bounded', async () => {
    const { url, close, pass } = await startDrainable();
    const socket = await halfOpen(url);
    let isClosed = false;
    const closing = close().then(() => {
      isClosed = true;
    });
    await once(socket, 'end');
    expect(isClosed).toBe(false);
    pass(PARTING_MS);
    await closing;
    socket.destroy();
  });

  it('requests that outlast the drain time are cut off', async () => {
    const { url, close, pass } = await startDrainable();
    const stuck = await connectTo(url);
    stuck.write(searchHead({ 'content-length': 10, expect: '100-continue' }));
    await stuck.receive(/100 Continue/);
    const closing = close();
    pass(TIMEOUT_MS);
    expect(await closing).toBe(false);
    await stuck.closed();
  });
});

/** A connection that stays open on this side when the other one has closed its own. */
async function halfOpen(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.resume();
  await once(socket, 'connect');
  return socket;
}
