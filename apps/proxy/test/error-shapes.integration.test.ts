import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { ClientAccess } from '../src/edge/client-access.ts';
import { type AppContext, createListener } from '../src/edge/create-listener.ts';
import { createHttpServer } from '../src/edge/http-server.ts';
import { passWebSockets } from '../src/edge/pass-web-socket.ts';
import { HeadWriter } from '../src/exchange/exchange.ts';
import { createUpstreams } from '../src/upstream/choose-upstream.ts';
import { ProxyError } from '../src/upstream/proxy-error.ts';

const DEFAULTS = {
  'retry.attempts': 2,
  idle_timeout: 600_000,
  load: 'auto',
  polyfill: 'off',
  auth: { kind: 'auto', name: '' },
} as const;
const upstreams = createUpstreams({
  openai: { base_url: 'http://127.0.0.1:1', format: 'openai', api_key: '', enabled: true, ...DEFAULTS },
  anthropic: { base_url: 'http://127.0.0.1:1', format: 'anthropic', api_key: '', enabled: true, ...DEFAULTS },
  mine: { base_url: 'http://127.0.0.1:1', format: 'anthropic', api_key: '', enabled: true, ...DEFAULTS },
  theirs: { base_url: 'http://127.0.0.1:1', format: 'openai', api_key: '', enabled: true, ...DEFAULTS },
});

/** The port of a listener that can only fail. */
async function startFailing(context: Partial<AppContext>): Promise<number> {
  const all: AppContext = {
    upstreams: () => upstreams,
    access: new ClientAccess({ tokens: [], allowedHosts: [], allowedOrigins: [] }),
    guardOf: () => 'none',
    isDraining: () => false,
    isRefusing: () => false,
    begin: () => () => {},
    createHead: (response) => new HeadWriter(response, 'r'),
    collectMetrics: () => Promise.reject(new Error('none')),
    wallClock: () => 0,
    handle: () => Promise.reject(new ProxyError('body_too_large', 'Too large.')),
    onDefect: () => {},
    ...context,
  };
  const server = createHttpServer(createListener(all), {
    headTimeoutMs: 60_000,
    keepAliveMs: 60_000,
    onUpgrade: passWebSockets({
      ...all,
      openWebSocket: () => Promise.reject(new Error('none')),
      begin: () => () => {},
    }).onUpgrade,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const shapeOf = (body: string) =>
  (JSON.parse(body) as { type?: string }).type === 'error' ? 'anthropic' : 'openai';

it.each([
  ['/mine/v1/models', {}, 'anthropic'],
  ['/theirs/v1/models', { 'anthropic-version': '2023-06-01' }, 'openai'],
  ['/v1/models', { 'anthropic-version': '2023-06-01' }, 'anthropic'],
  ['/v1/models', {}, 'openai'],
  // One server may speak the formats of several vendors.
  ['/theirs/v1/messages', {}, 'anthropic'],
  ['/mine/v1/chat/completions', {}, 'openai'],
])(
  'an error on %s has the shape of its format, else of its upstream, whatever went wrong',
  async (path, headers, expected) => {
    for (const context of [
      {},
      { isRefusing: () => true },
      { handle: () => Promise.reject(new Error('a defect')) },
    ] satisfies Partial<AppContext>[]) {
      const port = await startFailing(context);
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers });
      expect(response.ok).toBe(false);
      expect(shapeOf(await response.text())).toBe(expected);
    }
  },
);

it('an error without an upstream takes the format that the head of the request suggests', async () => {
  const port = await startFailing({ upstreams: () => new Map() });
  const response = await fetch(`http://127.0.0.1:${port}/v1/messages`, { method: 'POST' });
  expect(response.status).toBe(404);
  expect(shapeOf(await response.text())).toBe('anthropic');
});

it.each([
  ['/mine/v1/responses', 'anthropic'],
  ['/theirs/v1/messages', 'openai'],
])('a WebSocket is refused on %s in the format of its upstream', async (path, expected) => {
  const socket = connect(await startFailing({}), '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
  const [head, body] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 426 /);
  expect(shapeOf(body!)).toBe(expected);
});
