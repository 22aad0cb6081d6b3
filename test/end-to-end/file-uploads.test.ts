import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { GoogleGenAI } from '@google/genai';
import { expect, onTestFinished, test } from 'vitest';
import { startStack } from './start-stack.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Starts the file service of Gemini: an upload begins with an address for its bytes. */
async function startFiles() {
  const received: Received[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    received.push({ method, url, headers, body: (await buffer(incoming)).toString() });
    if (headers['x-goog-upload-command'] === 'start') {
      const parameters = `upload_id=up-1&upload_protocol=resumable${url.includes('key=') ? '&key=operators' : ''}`;
      const address = `http://${headers.host}/upload/v1/files?${parameters}`;
      outgoing.writeHead(200, { 'x-goog-upload-url': address, 'x-goog-upload-status': 'active' }).end();
      return;
    }
    const file = {
      name: 'files/one',
      uri: 'https://files.example/one',
      mimeType: 'text/plain',
      state: 'ACTIVE',
    };
    outgoing.writeHead(200, { 'content-type': 'application/json', 'x-goog-upload-status': 'final' });
    outgoing.end(JSON.stringify({ file }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const TEXT = 'a text of some length';

async function upload(settings: Record<string, string>, apiKey: string) {
  const files = await startFiles();
  const stack = await startStack({ settings: { PROXY_UPSTREAMS_GEMINI_BASE_URL: files.url, ...settings } });
  const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: stack.proxyUrl } });
  const file = await ai.files.upload({ file: new Blob([TEXT]), config: { mimeType: 'text/plain' } });
  return { file, received: files.received };
}

test('a client with its own key uploads a file, to the address that the provider names', async () => {
  const { file, received } = await upload({}, 'own');
  expect(file).toMatchObject({ name: 'files/one' });
  expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /upload/v1/files',
    'POST /upload/v1/files?upload_id=up-1&upload_protocol=resumable',
  ]);
  expect(received[1]!.body).toBe(TEXT);
});

test.each([
  ['a header', {}],
  ['the query', { PROXY_UPSTREAMS_GEMINI_AUTH: 'query:key' }],
])("with the operator's key in %s, all of the upload goes through the proxy", async (_, settings) => {
  const { file, received } = await upload(
    { ...settings, PROXY_UPSTREAMS_GEMINI_API_KEY: 'operators', PROXY_SERVER_TOKENS: 'one-token' },
    'one-token',
  );
  expect(file).toMatchObject({ name: 'files/one' });
  expect(received).toHaveLength(2);
  expect(received[1]!.body).toBe(TEXT);
  for (const { headers, url } of received) {
    expect(headers['x-goog-api-key'] ?? new URL(url, 'http://x').searchParams.get('key')).toBe('operators');
    expect(JSON.stringify([headers, url])).not.toContain('one-token');
  }
});
