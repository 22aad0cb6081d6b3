import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer as listenPlainly } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpServer, Drain } from '../src/index.ts';
import { type ServingOptions, startServing } from '../src/start-serving.ts';

const NEVER = () => new AbortController().signal;

/** Serves on a free port, and drains without a delay or a time limit. */
async function serve(listener: RequestListener, options: Partial<ServingOptions> = {}) {
  const drain = new Drain();
  const events: string[] = [];
  const server = createHttpServer(
    (incoming, outgoing) => {
      outgoing.once('close', drain.begin());
      listener(incoming, outgoing);
    },
    { headTimeoutMs: 60_000, keepAliveMs: 60_000, refuseHead: (_, socket) => void socket.destroy() },
  );
  const service = await startServing({
    server,
    host: '127.0.0.1',
    port: 0,
    drain,
    drainDelayMs: 0,
    drainTimeoutMs: 60_000,
    deadline: NEVER,
    onDrained: async () => void events.push('drained'),
    onStopped: async () => void events.push(server.listening ? 'stopped while it listens' : 'stopped'),
    ...options,
  });
  onTestFinished(async () => {
    await service.close();
  });
  return { service, events };
}

it('says where it listens', async () => {
  const { service } = await serve((_, outgoing) => void outgoing.end('here'));
  expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await (await fetch(service.url)).text()).toBe('here');
});

it('names the settings of an address that is in use', async () => {
  const other = listenPlainly();
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  await expect(serve(() => {}, { port })).rejects.toThrow(
    `127.0.0.1:${port} is in use by another process. Stop it, or set server.port to another port.`,
  );
});

it('finishes running requests, then remaining work, then releases its resources, once', async () => {
  const gate = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const { service, events } = await serve(async (_, outgoing) => {
    began.resolve();
    await gate.promise;
    events.push('responded');
    outgoing.end('late');
  });
  const response = fetch(service.url);
  await began.promise;
  const closes = [service.close(), service.close()];
  gate.resolve();
  expect(await (await response).text()).toBe('late');
  expect(await Promise.all(closes)).toEqual([true, true]);
  expect(events).toEqual(['responded', 'drained', 'stopped']);
});

it('cuts off requests that do not finish in time, and reports it', async () => {
  const began = Promise.withResolvers<void>();
  const { service, events } = await serve(() => began.resolve(), { deadline: () => AbortSignal.abort() });
  const response = fetch(service.url);
  const isBroken = expect(response).rejects.toThrow();
  await began.promise;
  expect(await service.close()).toBe(false);
  await isBroken;
  expect(events).toEqual(['drained', 'stopped']);
});
