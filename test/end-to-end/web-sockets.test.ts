import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { GoogleGenAI, type LiveServerMessage } from '@google/genai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startStack } from './start-stack.ts';
import { startWebSocketUpstream, type WebSocketUpstream } from './web-socket-upstream.ts';

const start = (upstream: WebSocketUpstream, settings: Record<string, string> = {}) =>
  startStack({
    settings: {
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      PROXY_UPSTREAMS_GEMINI_BASE_URL: upstream.url,
      ...settings,
    },
  });

const REALTIME = '/v1/realtime?model=gpt-realtime';

function open(proxyUrl: string, path = REALTIME, protocols: string[] = []): WebSocket {
  const socket = new WebSocket(proxyUrl.replace('http', 'ws') + path, protocols);
  onTestFinished(() => socket.close());
  return socket;
}

/** Sends an upgrade by hand; returns the connection. */
function ask(proxyUrl: string, path: string, headers: Record<string, string> = {}) {
  const { hostname, port } = new URL(proxyUrl);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const all = { host: `${hostname}:${port}`, connection: 'Upgrade', upgrade: 'websocket', ...headers };
  const lines = Object.entries({
    ...all,
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  });
  socket.write(
    `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  return socket;
}

const statusOf = async (proxyUrl: string, path: string, headers: Record<string, string> = {}) => {
  const [piece] = (await once(ask(proxyUrl, path, headers), 'data')) as [Buffer];
  return Number(/^HTTP\/1.1 (\d+)/.exec(piece.toString())?.[1]);
};

describe('a WebSocket', () => {
  test('of a realtime client in a browser is passed through, with its key', async () => {
    const upstream = await startWebSocketUpstream((said) => [said.replace('update', 'updated')]);
    const { proxyUrl } = await start(upstream);
    // The library of OpenAI sends the same, and insists on TLS.
    const socket = open(proxyUrl, REALTIME, ['realtime', 'openai-insecure-api-key.sk-own']);
    await once(socket, 'open');
    expect(socket.protocol).toBe('realtime');
    socket.send('{"type":"session.update"}');
    const [event] = (await once(socket, 'message')) as [MessageEvent];
    expect(event.data).toBe('{"type":"session.updated"}');
    const [request] = upstream.upgrades;
    expect(request!.url).toBe(REALTIME);
    expect(request!.headers['sec-websocket-protocol']).toBe('realtime, openai-insecure-api-key.sk-own');
  });

  test('of the Gemini library’s live client is passed through', async () => {
    const upstream = await startWebSocketUpstream(() => [JSON.stringify({ setupComplete: {} })]);
    const { proxyUrl } = await start(upstream);
    const ai = new GoogleGenAI({ apiKey: 'own', httpOptions: { baseUrl: proxyUrl } });
    let told: ((message: LiveServerMessage) => void) | undefined;
    const first = new Promise<LiveServerMessage>((resolve) => {
      told = resolve;
    });
    const session = await ai.live.connect({
      model: 'gemini-live-test',
      callbacks: { onmessage: (message) => told?.(message) },
    });
    expect(await first).toMatchObject({ setupComplete: {} });
    session.close();
    expect(upstream.upgrades[0]!.url).toBe(
      '/ws/google.ai.generativelanguage.v1.GenerativeService.BidiGenerateContent?key=own',
    );
  });

  test('carries large messages in both directions, and ends at both sides', async () => {
    const upstream = await startWebSocketUpstream();
    const { proxyUrl } = await start(upstream);
    const socket = open(proxyUrl);
    await once(socket, 'open');
    const large = 'x'.repeat(3_000_000);
    socket.send(large);
    const [event] = (await once(socket, 'message')) as [MessageEvent];
    expect(event.data === large).toBe(true);
    const closed = [once(socket, 'close'), once(upstream.upgrades[0]!.socket, 'close')];
    upstream.endAll();
    await Promise.all(closed);
  });

  test('that its client leaves is closed at the upstream', async () => {
    const upstream = await startWebSocketUpstream();
    const { proxyUrl } = await start(upstream);
    const socket = ask(proxyUrl, REALTIME);
    const [piece] = (await once(socket, 'data')) as [Buffer];
    expect(piece.toString()).toMatch(/^HTTP\/1.1 101 Switching Protocols\r\n/);
    expect(piece.toString()).toContain('x-request-id: req-1');
    expect(piece.toString()).not.toContain('set-cookie');
    const closed = once(upstream.upgrades[0]!.socket, 'close');
    socket.destroy();
    await closed;
  });

  test('that the upstream refuses gets its response', async () => {
    const upstream = await startWebSocketUpstream();
    const { proxyUrl } = await start(upstream);
    const answer = await text(ask(proxyUrl, '/v1/realtime?refused'));
    expect(answer).toMatch(/^HTTP\/1.1 401 Unauthorized\r\n/);
    expect(answer).toContain('x-request-id: req-1');
    expect(answer).toMatch(/\r\n\r\n\{"no": 1\}$/);
  });

  test('whose refusal the upstream breaks off gets no other text instead', async () => {
    const upstream = await startWebSocketUpstream();
    const { proxyUrl } = await start(upstream);
    expect(await text(ask(proxyUrl, '/v1/realtime?broken'))).toMatch(/^HTTP\/1.1 401 .*\r\n\r\n\{"no":$/s);
  });

  test('to an upstream that is away gets 502', async () => {
    const { proxyUrl } = await startStack({
      settings: { PROXY_UPSTREAMS_OPENAI_BASE_URL: 'http://127.0.0.1:1' },
    });
    expect(await text(ask(proxyUrl, REALTIME))).toMatch(/^HTTP\/1.1 502 .*"upstream_unreachable"/s);
  });

  test('for a path whose tools are held back gets 426, so that its client falls back to HTTP', async () => {
    const upstream = await startWebSocketUpstream();
    const { proxyUrl } = await start(upstream);
    expect(await text(ask(proxyUrl, '/v1/responses'))).toMatch(/^HTTP\/1.1 426 Upgrade Required\r\n/);
    expect(await text(ask(proxyUrl, '/nowhere'))).toMatch(/^HTTP\/1.1 426 /);
    expect(upstream.upgrades).toEqual([]);
  });

  test('does not outlive the proxy', async () => {
    const upstream = await startWebSocketUpstream();
    const stack = await start(upstream);
    const socket = open(stack.proxyUrl);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await stack.proxies[0]!.close();
    await closed;
  });
});

describe("the operator's key", () => {
  const KEY = { PROXY_UPSTREAMS_OPENAI_API_KEY: 'sk-operator' };

  test('takes the place of every credential of the client', async () => {
    const upstream = await startWebSocketUpstream();
    const { proxyUrl } = await start(upstream, KEY);
    const socket = open(proxyUrl, `${REALTIME}&api-key=theirs-1`, [
      'realtime',
      'openai-insecure-api-key.theirs-2',
    ]);
    await once(socket, 'open');
    expect(socket.protocol).toBe('realtime');
    const [{ url, headers }] = upstream.upgrades as [WebSocketUpstream['upgrades'][number]];
    expect(headers.authorization).toBe('Bearer sk-operator');
    expect(headers['sec-websocket-protocol']).toBe('realtime');
    expect(JSON.stringify([url, headers])).not.toContain('theirs');
  });

  test('is not spent for a page of another site, nor under a foreign name', async () => {
    const upstream = await startWebSocketUpstream();
    const { proxyUrl } = await start(upstream, {
      ...KEY,
      PROXY_SERVER_ALLOWED_ORIGINS: 'https://chat.example',
    });
    expect(await statusOf(proxyUrl, REALTIME, { origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf(proxyUrl, REALTIME, { host: 'evil.example' })).toBe(403);
    expect(upstream.upgrades).toEqual([]);
    expect(await statusOf(proxyUrl, REALTIME, { origin: 'https://chat.example' })).toBe(101);
  });

  test('is spent for clients with a token only, where tokens are set, and no upstream sees the token', async () => {
    const upstream = await startWebSocketUpstream();
    const { proxyUrl } = await start(upstream, { ...KEY, PROXY_SERVER_TOKENS: 'one-token' });
    expect(await statusOf(proxyUrl, REALTIME)).toBe(401);
    expect(await statusOf(proxyUrl, REALTIME, { authorization: 'Bearer other' })).toBe(401);
    expect(await statusOf(proxyUrl, REALTIME, { authorization: 'Bearer one-token' })).toBe(101);
    const socket = open(proxyUrl, REALTIME, ['realtime', 'openai-insecure-api-key.one-token']);
    await once(socket, 'open');
    expect(upstream.upgrades).toHaveLength(2);
    expect(JSON.stringify(upstream.upgrades.map(({ headers }) => headers))).not.toContain('one-token');
  });
});
