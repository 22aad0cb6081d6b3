import type { ServerResponse } from 'node:http';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { FailureKind } from '../src/servers/failures.ts';
import { type FailingServer, startFailingServer } from './failing-server.ts';
import { httpEntry, type Kept, keepServers, stdioEntry, until, untilStatus } from './keep-servers.ts';

const status =
  (code: number, body = 'no such luck', headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end(body);

const rpcError = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_050, message: 'odd', data: { why: 1 } },
});

interface Row {
  readonly kind: FailureKind;
  readonly how?: string;
  readonly fail: (response: ServerResponse, id: unknown) => void;
  /** Requests with this failure that a caller sends at most before a result; without one, never. */
  readonly repeats: 'always' | 'reads' | 'never';
  readonly reads: { readonly code: string; readonly message?: RegExp; readonly rpcError?: object };
}

/**
 * The rows of the table over HTTP; `unreachable` and streams that are resumed have tests of their own. No request is sent over a connection that has
 * ended, as `connection_lost` says: HTTP has none to lose.
 */
const ROWS: readonly Row[] = [
  { kind: 'session_lost', fail: status(404), repeats: 'always', reads: { code: 'server_unreachable' } },
  {
    kind: 'connection_broken',
    fail: (response) => void response.socket?.destroy(),
    repeats: 'reads',
    reads: { code: 'server_unreachable', message: /may have had its effect/ },
  },
  ...(
    [
      ['ends', (response) => void response.end()],
      ['breaks', (response) => void setTimeout(() => response.socket?.destroy(), 20)],
    ] as readonly [string, (response: ServerResponse) => void][]
  ).map(
    ([how, end]): Row => ({
      kind: 'connection_broken',
      how: `its stream ${how}`,
      fail(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begun\n\n');
        end(response);
      },
      repeats: 'reads',
      reads: { code: 'server_unreachable', message: /may have had its effect/ },
    }),
  ),
  { kind: 'unauthorized', fail: status(401), repeats: 'never', reads: { code: 'refused', message: /401/ } },
  {
    kind: 'forbidden',
    fail: status(403),
    repeats: 'never',
    reads: { code: 'refused', message: /403: no such luck/ },
  },
  {
    kind: 'rate_limited',
    fail: status(429, 'slow down', { 'retry-after': '7' }),
    repeats: 'never',
    reads: { code: 'refused', message: /429: slow down\. Retry-After: 7/ },
  },
  {
    kind: 'server_error',
    fail: status(500),
    repeats: 'never',
    reads: { code: 'refused', message: /500: no such luck/ },
  },
  {
    kind: 'bad_request',
    fail: status(422),
    repeats: 'never',
    reads: { code: 'refused', message: /422: no such luck/ },
  },
  {
    kind: 'rpc_error',
    fail: status(400, rpcError, { 'content-type': 'application/json' }),
    repeats: 'never',
    reads: { code: 'refused', rpcError: { code: -32_050, message: 'odd', data: { why: 1 } } },
  },
  { kind: 'timed_out', fail: () => {}, repeats: 'never', reads: { code: 'timed_out' } },
  {
    kind: 'bad_answer',
    fail: status(200, '<html>', { 'content-type': 'text/html' }),
    repeats: 'never',
    reads: { code: 'bad_answer' },
  },
];

type Ask = (kept: Kept, caller: string, timeoutMs?: number) => Promise<unknown>;
const holderOf = (caller: string, timeoutMs = 30_000) => ({
  holder: { caller, session: `of ${caller}` },
  timeoutMs,
});

const REQUESTS: Readonly<Record<string, Ask>> = {
  'tools/call': ({ servers }, caller, timeoutMs) =>
    servers.call('web', 'bad', {}, holderOf(caller, timeoutMs)),
  'prompts/get': ({ servers }, caller, timeoutMs) =>
    servers.relay(
      'web',
      { offer: { kind: 'prompt', key: 'greet' }, method: 'prompts/get', params: { name: 'greet' } },
      holderOf(caller, timeoutMs),
    ),
  'resources/read': ({ servers }, caller, timeoutMs) =>
    servers.relay(
      'web',
      { offer: { kind: 'resource', key: 'note:1' }, method: 'resources/read', params: { uri: 'note:1' } },
      holderOf(caller, timeoutMs),
    ),
};

async function start(isolation: 'none' | 'token' | 'session'): Promise<[FailingServer, Kept]> {
  const server = await startFailingServer();
  onTestFinished(() => server.close());
  const kept = await keepServers([httpEntry('web', server.url, { isolation })]);
  await untilStatus(kept, 'web', 'up');
  await kept.servers.call('web', 'find', {}, holderOf('one'));
  return [server, kept];
}

const sent = ({ requests }: FailingServer, method: string) =>
  requests.filter((request) => request.method === method && request.params.name !== 'find').length;

describe.each(['none', 'token', 'session'] as const)('over HTTP with isolation "%s"', (isolation) => {
  // By day, all methods without isolation, and one with each.
  const isSampled = isolation !== 'none' && !inject('isExhaustive');
  describe.each(isSampled ? ['tools/call'] : Object.keys(REQUESTS))('%s', (method) => {
    test.each(ROWS)(
      '$kind: repeats $repeats',
      async ({ kind, fail, repeats, reads }) => {
        const [server, kept] = await start(isolation);
        const ask = () => REQUESTS[method]!(kept, 'one');
        // The server never answers in time, however long that is.
        const fails = () => REQUESTS[method]!(kept, 'one', kind === 'timed_out' ? 300 : undefined);
        Object.assign(server, { failure: { method, fail }, left: 1 });
        if (repeats === 'always' || (repeats === 'reads' && method !== 'tools/call')) {
          expect(await ask()).toBeTruthy();
          expect(sent(server, method)).toBe(2);
        } else {
          await expect(fails()).rejects.toMatchObject({
            ...reads,
            ...(reads.message && { message: expect.stringMatching(reads.message) }),
          });
          expect(sent(server, method)).toBe(1);
        }
        // Failures of one caller's requests close nothing: neither to others, nor to the caller.
        server.left = 6;
        const failing = Array.from({ length: 6 }, () => fails().catch(() => {}));
        await Promise.all(failing);
        server.left = 0;
        expect(await kept.servers.call('web', 'find', {}, holderOf('two'))).toBeTruthy();
        expect(await ask()).toBeTruthy();
      },
      20_000,
    );
  });

  test('a server that has lost its sessions works again for all, and notifies subscribers', async () => {
    const [server, kept] = await start(isolation);
    const updates: string[] = [];
    const ended = new AbortController();
    onTestFinished(() => ended.abort());
    await kept.servers.subscribe('web', 'note:1', {
      holder: { caller: 'one', session: 'of one' },
      signal: ended.signal,
      onUpdated: () => updates.push('note:1'),
    });
    server.forget();
    for (const caller of ['one', 'two', 'one']) {
      expect(await kept.servers.call('web', 'find', {}, holderOf(caller))).toBeTruthy();
      expect(await REQUESTS['prompts/get']!(kept, caller)).toBeTruthy();
    }
    await kept.servers.refresh('web');
    expect(kept.servers.state('web')?.status).toBe('up');
    // It may have changed while nothing was listened to.
    await until(() => updates.length > 0);
    await until(() => sent(server, 'resources/subscribe') === 2);
    const { length } = updates;
    await until(() => {
      server.tellUpdated('note:1');
      return updates.length > length;
    });
  }, 20_000);

  test.each(Object.keys(REQUESTS))(
    '%s: a server that is gone is not asked by others for a while',
    async (method) => {
      const [server, kept] = await start(isolation);
      await server.close();
      const ask = (caller: string) => REQUESTS[method]!(kept, caller);
      for (let count = 0; count < 6; count++)
        await expect(ask('one')).rejects.toMatchObject({ code: 'server_unreachable' });
      const again = await startFailingServer(Number(new URL(server.url).port));
      onTestFinished(() => again.close());
      await expect(ask('two')).rejects.toMatchObject({ code: 'server_unreachable' });
      expect(sent(again, method)).toBe(0);
    },
    20_000,
  );

  test.each([
    ['breaks again', 'break'],
    ['cannot be resumed', 'refuse'],
  ] as const)(
    'a call whose resumed stream %s ends at once',
    async (_, resumed) => {
      const [server, kept] = await start(isolation);
      const fail = (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('id: 1\nretry: 10\ndata:\n\n', () => response.socket?.destroy());
      };
      Object.assign(server, { failure: { method: 'tools/call', fail }, left: 1, resumed });
      const called = kept.servers.call('web', 'bad', {}, { holder: { caller: 'one' } });
      await expect(called).rejects.toMatchObject({
        code: 'server_unreachable',
        failure: 'connection_broken',
        message: expect.stringMatching(/may have had its effect/),
      });
      // A stream that is resumed as it should be.
      Object.assign(server, { left: 1, resumed: 'answer' });
      expect(await kept.servers.call('web', 'bad', {}, { holder: { caller: 'one' } })).toEqual({
        content: [],
      });
    },
    10_000,
  );

  test('a list that fails with a status of HTTP ends no call that runs', async () => {
    const [server, kept] = await start(isolation);
    let finish = () => {};
    Object.assign(server, {
      failure: {
        method: 'tools/call',
        fail: (response: ServerResponse, id: unknown) => {
          finish = () => {
            response.writeHead(200, { 'content-type': 'application/json' });
            response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } }));
          };
        },
      },
      left: 1,
    });
    const called = kept.servers.call('web', 'bad', {}, { holder: { caller: 'one' } });
    await until(() => sent(server, 'tools/call') === 1);
    Object.assign(server, { failure: { method: 'tools/list', fail: status(503) }, left: 1 });
    await expect(kept.servers.refresh('web')).rejects.toMatchObject({ failure: 'server_error' });
    finish();
    expect(await called).toEqual({ content: [] });
  });
});

/** A process that answers everything, and fails where a name or URI says so. */
const PROCESS = `
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {}, prompts: {}, resources: { subscribe: true } }, serverInfo: { name: 'p', version: '1' } },
  'tools/list': { tools: ['find', 'die', 'die_after', 'odd', 'slow', 'wrong'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
  'prompts/list': { prompts: ['find', 'die', 'die_after', 'odd', 'slow', 'wrong'].map((name) => ({ name })) },
  'resources/list': { resources: ['find', 'die', 'die_after', 'odd', 'slow', 'wrong'].map((name) => ({ uri: 'note:' + name, name })) },
  'resources/templates/list': { resourceTemplates: [] },
  'prompts/get': { messages: [] },
  'resources/read': { contents: [] },
  'resources/subscribe': {},
  'resources/unsubscribe': {},
  'tools/call': { content: [{ type: 'text', text: String(process.pid) }] },
};
const write = (message, done) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n', done);
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  const name = params.name ?? params.uri?.slice('note:'.length);
  if (name === 'die') process.exit(3);
  if (name === 'slow') return;
  const result = name === 'wrong' ? 3 : results[method];
  const answer = name === 'odd' || !result ? { error: { code: -32050, message: 'odd' } } : { result };
  write({ id, ...answer }, () => {
    if (name === 'die_after') process.exit(4);
  });
  if (method === 'resources/subscribe') write({ method: 'notifications/resources/updated', params });
});`;

/** Requests for something of this name. */
const NAMED: Readonly<Record<string, (kept: Kept, name: string, timeoutMs?: number) => Promise<unknown>>> = {
  'tools/call': ({ servers }, name, timeoutMs) => servers.call('local', name, {}, holderOf('one', timeoutMs)),
  'prompts/get': ({ servers }, name, timeoutMs) =>
    servers.relay(
      'local',
      { offer: { kind: 'prompt', key: name }, method: 'prompts/get', params: { name } },
      holderOf('one', timeoutMs),
    ),
  'resources/read': ({ servers }, name, timeoutMs) =>
    servers.relay(
      'local',
      {
        offer: { kind: 'resource', key: `note:${name}` },
        method: 'resources/read',
        params: { uri: `note:${name}` },
      },
      holderOf('one', timeoutMs),
    ),
};

async function startProcess(isolation: 'none' | 'token' | 'session'): Promise<Kept> {
  const kept = await keepServers([stdioEntry('local', ['-e', PROCESS], { isolation })]);
  await untilStatus(kept, 'local', 'up');
  return kept;
}

const hasEnded = ({ servers }: Kept, isolation: string) => {
  const { status, processes } = servers.state('local')!;
  return isolation === 'none' ? status === 'down' : processes === 0;
};

describe.each(['none', 'token', 'session'] as const)('over stdio with isolation "%s"', (isolation) => {
  test.each(Object.keys(NAMED))(
    '%s: each row of the table',
    async (method) => {
      const kept = await startProcess(isolation);
      const ask = (name: string, timeoutMs?: number) => NAMED[method]!(kept, name, timeoutMs);
      expect(await ask('die_after')).toBeTruthy();
      await until(() => hasEnded(kept, isolation));
      // connection_lost
      expect(await ask('find')).toBeTruthy();
      const broken = { code: 'server_unreachable', failure: 'connection_broken' };
      await expect(ask('die')).rejects.toMatchObject({
        ...broken,
        message: expect.stringMatching(/may have had/),
      });
      await expect(ask('odd')).rejects.toMatchObject({ code: 'refused', rpcError: { code: -32_050 } });
      await expect(ask('slow', 300)).rejects.toMatchObject({ code: 'timed_out' });
      await expect(ask('wrong')).rejects.toMatchObject({ code: 'bad_answer' });
      expect(await ask('find')).toBeTruthy();
      await kept.servers.refresh('local');
      expect(kept.servers.state('local')?.status).toBe('up');
    },
    20_000,
  );

  test('a subscription outlives its process', async () => {
    const kept = await startProcess(isolation);
    const updates: string[] = [];
    const ended = new AbortController();
    onTestFinished(() => ended.abort());
    await kept.servers.subscribe('local', 'note:find', {
      ...{ holder: { caller: 'one', session: 'of one' }, signal: ended.signal },
      onUpdated: () => updates.push('find'),
    });
    await until(() => updates.length > 0);
    const { length } = updates;
    await NAMED['tools/call']!(kept, 'die').catch(() => {});
    await until(() => updates.length > length);
  }, 20_000);
});

test('a command that does not exist is unreachable', async () => {
  const kept = await keepServers([stdioEntry('local', [], {}, { command: '/nowhere/at/all' })]);
  await untilStatus(kept, 'local', 'down');
  await expect(NAMED['tools/call']!(kept, 'find')).rejects.toMatchObject({ code: 'server_unreachable' });
});
