/**
 * @module-tag openssl
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { readConfig } from '@winnow/proxy';
import { playModel, TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bodyOf, FEW_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const MODEL = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});
const HEADERS = { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };

const certificates = new TestCertificates({
  server: 'authority',
  client: 'authority',
  'strange-client': 'stranger',
});
beforeAll(() => certificates.make());
afterAll(() => certificates.remove());

const read = (name: string) => readFileSync(certificates.file(name));

/** Starts the services, the proxy with TLS; if it is mutual, it accepts only clients of the authority. */
const start = ({ isMutual = false } = {}) =>
  startStack({
    model: MODEL,
    settings: {
      PROXY_TOOLS_STRATEGY: 'tool-search',
      PROXY_SERVER_TLS_FOLDER: certificates.folder({ cert: 'server.pem', key: 'server.key' }),
      ...(isMutual && { PROXY_SERVER_CLIENT_CA_FILE: certificates.file('authority.pem') }),
    },
  });

async function ask(url: string, body: string, tls: RequestOptions = {}) {
  const options = { method: 'POST', headers: HEADERS, ca: read('authority.pem'), agent: false, ...tls };
  const sent = request(`${url}/v1/messages`, options as RequestOptions);
  sent.end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode as number, text: await text(response) };
}

test.each([false, true])('searches are answered as without TLS (streamed: %s)', async (isStream) => {
  const body = bodyOf({ format: 'anthropic', url: '', isStream });
  const [plain, secured] = await Promise.all([
    startStack({ model: MODEL, settings: { PROXY_TOOLS_STRATEGY: 'tool-search' } }),
    start(),
  ]);
  expect(secured.proxyUrl).toMatch(/^https:/);
  const expected = await fetch(`${plain.proxyUrl}/v1/messages`, { method: 'POST', headers: HEADERS, body });
  const answered = await ask(secured.proxyUrl, body);
  expect(answered).toEqual({ status: 200, text: await expected.text() });
  expect(answered.text).toContain(WANTED);
  await recordsOf(secured, 1);
  expect(secured.records).toMatchObject([{ outcome: 'answered', searches: [{ outcome: 'found' }] }]);
});

test('a client that offers HTTP/2 gets it', async () => {
  const stack = await start();
  const session = connect(stack.proxyUrl, { ca: read('authority.pem') });
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': '/v1/messages', ...HEADERS });
  stream.end(bodyOf({ format: 'anthropic', url: '', isStream: true }));
  const [headers] = await once(stream, 'response');
  expect(headers[':status']).toBe(200);
  expect(await text(stream)).toContain(WANTED);
  expect(session.alpnProtocol).toBe('h2');
});

test('with mutual TLS, only clients of the authority are let in', async () => {
  const stack = await start({ isMutual: true });
  const body = bodyOf({ format: 'anthropic', url: '' });
  const as = (name: string) => ({ cert: read(`${name}.pem`), key: read(`${name}.key`) });
  expect((await ask(stack.proxyUrl, body, as('client'))).status).toBe(200);
  await expect(ask(stack.proxyUrl, body)).rejects.toThrow();
  await expect(ask(stack.proxyUrl, body, as('strange-client'))).rejects.toThrow();
  expect(stack.upstream.requests).toHaveLength(2);
});

test('a client that speaks plain HTTP gets no answer from an upstream', async () => {
  const stack = await start();
  const plain = stack.proxyUrl.replace('https:', 'http:');
  await expect(fetch(`${plain}/v1/models`)).rejects.toThrow();
  expect(stack.upstream.requests).toEqual([]);
});

test('a certificate that was renewed is shown after a reload, and a broken one is not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-renewed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const use = (name: string) => {
    writeFileSync(join(folder, 'tls.crt'), read(`${name}.pem`));
    writeFileSync(join(folder, 'tls.key'), read(`${name}.key`));
  };
  use('server');
  const settings = { PROXY_SERVER_TLS_FOLDER: folder };
  const stack = await startStack({ model: MODEL, settings });
  const [proxy] = stack.proxies;
  const outcome = readConfig({ file: '', environment: stack.environment });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  const shownBy = async () => {
    const socket = connectTls({
      host: '127.0.0.1',
      port: Number(new URL(stack.proxyUrl).port),
      ca: read('authority.pem'),
    });
    await once(socket, 'secureConnect');
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return subject.CN;
  };
  expect(await shownBy()).toBe('server');
  use('client');
  expect(proxy!.reload(outcome.config)).toMatchObject({ ok: true, changed: ['server.tls_folder'] });
  expect(await shownBy()).toBe('client');
  writeFileSync(join(folder, 'tls.key'), read('server.key'));
  const refused = [expect.stringContaining('server.tls_folder')];
  expect(proxy!.reload(outcome.config)).toEqual({ ok: false, problems: refused });
  expect(await shownBy()).toBe('client');
});

test('a certificate that is none stops the start, and names the setting', async () => {
  const folder = certificates.folder({ cert: 'no-certificate.pem', key: 'server.key' });
  const settings = { PROXY_SERVER_TLS_FOLDER: folder };
  await expect(startStack({ model: MODEL, settings })).rejects.toThrow('server.tls_folder');
});
