import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post, start, TOOLS } from './start.ts';

const REQUEST = { pattern: 'weather', tools: TOOLS };
const FOUND = { selected_names: ['get_weather'] };

describe('bearer tokens', () => {
  it.each([
    ['the first token', 'Bearer first'],
    ['the second token', 'Bearer second'],
    ['the scheme in other letters', 'bEARER second'],
  ])('let %s in', async (_, authorization) => {
    const { searchUrl } = await start({ tokens: ['first', 'second'] });
    expect((await post(searchUrl, REQUEST, { authorization })).body).toEqual(FOUND);
  });

  it.each([
    ['nothing', {}],
    ['an empty token', { authorization: 'Bearer ' }],
    ['a wrong token', { authorization: 'Bearer third' }],
    ['the start of a token', { authorization: 'Bearer firs' }],
    ['a token and more', { authorization: 'Bearer first second' }],
    ['two tokens in one', { authorization: 'Bearer first,second' }],
    ['another scheme', { authorization: 'Basic first' }],
    ['the token without a scheme', { authorization: 'first' }],
    ['the token in other letters', { authorization: 'Bearer First' }],
  ])('keep %s out', async (_, headers) => {
    const { searchUrl } = await start({ tokens: ['first', 'second'] });
    const answer = await post(searchUrl, REQUEST, headers);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(answer.body).toEqual({
      error: { code: 'unauthorized', message: 'A valid bearer token is needed.' },
    });
  });

  it('guard the metrics, and leave probes and the description open', async () => {
    const { url } = await start({ tokens: ['first'] });
    const status = async (path: string, headers = {}) => (await fetch(url + path, { headers })).status;
    expect(await status('/metrics')).toBe(401);
    expect(await status('/metrics', { authorization: 'Bearer first' })).toBe(200);
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs'])
      expect(await status(path)).toBe(200);
  });
});

describe('a selector on loopback without tokens that follows a registry or holds a key', () => {
  const statusOf = (url: string, path: string, host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host, 'content-type': 'application/json' };
      const method = path === '/metrics' ? 'GET' : 'POST';
      const sent = plainRequest(url + path, { method, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end(method === 'GET' ? undefined : JSON.stringify(REQUEST));
    });
  const SEARCH = '/v1/tool-discovery/search';
  const guarded: [string, Parameters<typeof start>[0]][] = [
    ['a registry', { registry: 'http://127.0.0.1:9' }],
    ['a key', { embedder: 'http://127.0.0.1:9/v1#m', embedderKey: 'key' }],
  ];

  it.each(guarded)('answers to names of this machine only: %s', async (_, settings) => {
    const { url } = await start(settings);
    for (const host of ['localhost:8788', '127.0.0.1', '[::1]:8788', 'LOCALHOST.'])
      expect([host, await statusOf(url, SEARCH, host)]).toEqual([host, 200]);
    for (const host of [
      'evil.example',
      'evil.example:8788',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
    ]) {
      expect([host, await statusOf(url, SEARCH, host)]).toEqual([host, 403]);
      expect([host, await statusOf(url, '/metrics', host)]).toEqual([host, 403]);
    }
  });

  it('answers to any name when it has tokens, or neither of the two', async () => {
    const plain = await start();
    expect(await statusOf(plain.url, SEARCH, 'evil.example')).toBe(200);
    const secured = await start({ tokens: ['t'], registryCallers: ['t'], registry: 'http://127.0.0.1:9' });
    expect(await statusOf(secured.url, SEARCH, 'evil.example')).toBe(401);
  });
});

describe('TLS', { tags: 'openssl' }, () => {
  const certificates = new TestCertificates({
    server: 'authority',
    client: 'authority',
    'other-client': 'authority',
    'strange-client': 'stranger',
  });
  const file = (name: string) => certificates.file(name);
  beforeAll(() => certificates.make());
  afterAll(() => certificates.remove());

  /** Posts over TLS, trusting our authority only, as the client of that name. */
  function postAs(client: string | undefined, url: string, body: object): Promise<unknown> {
    const identity = client && {
      cert: readFileSync(file(`${client}.pem`)),
      key: readFileSync(file(`${client}.key`)),
    };
    const options = {
      ...identity,
      method: 'POST',
      ca: readFileSync(file('authority.pem')),
      agent: false as const,
      headers: { 'content-type': 'application/json' },
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, options, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(JSON.parse(text));
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }

  const tls = () => ({ tlsFolder: certificates.folder({ cert: 'server.pem', key: 'server.key' }) });
  const mutualTls = () => ({ ...tls(), tlsClientCaFile: file('authority.pem') });

  it('is spoken when there is a certificate', async () => {
    const { url, searchUrl } = await start(tls());
    expect(url).toMatch(/^https:/);
    expect(await postAs(undefined, searchUrl, REQUEST)).toEqual(FOUND);
  });

  it('lets clients with a certificate of the authority in', async () => {
    const { searchUrl } = await start(mutualTls());
    expect(await postAs('client', searchUrl, REQUEST)).toEqual(FOUND);
  });

  it.each([
    ['without a certificate', undefined],
    ['with a certificate of another authority', 'strange-client'],
  ])('keeps clients out %s', async (_, client) => {
    const { searchUrl } = await start(mutualTls());
    await expect(postAs(client, searchUrl, REQUEST)).rejects.toThrow();
  });

  it('lets the selector stop although a client never says a word', async () => {
    const { url, close } = await start(tls());
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    await once(socket, 'connect');
    expect(await close()).toBe(true);
    await once(socket.resume(), 'close');
  });

  it('keeps the catalogue ids of client certificates apart', async () => {
    const { searchUrl } = await start(mutualTls());
    await postAs('client', searchUrl, { ...REQUEST, catalog_id: 'mine' });
    const byId = { pattern: 'weather', catalog_id: 'mine' };
    expect(await postAs('client', searchUrl, byId)).toEqual(FOUND);
    expect(await postAs('other-client', searchUrl, byId)).toMatchObject({
      error: { code: 'unknown_catalog' },
    });
  });

  it('does not start without the files, and names the setting', async () => {
    await expect(start({ tlsFolder: '/nowhere' })).rejects.toThrow(
      'tls.crt in server.tls_folder must name a file that can be read (ENOENT).',
    );
    await expect(start({ ...mutualTls(), tlsClientCaFile: file('.') })).rejects.toThrow(
      'server.client_ca_file must name a file that can be read (EISDIR).',
    );
  });

  it.each([
    ['a key of another certificate', { cert: 'server.pem', key: 'client.key' }],
    ['a file that is no certificate', { cert: 'no-certificate.pem', key: 'server.key' }],
  ])('does not start with %s', async (_, files) => {
    await expect(start({ tlsFolder: certificates.folder(files) })).rejects.toThrow(
      'server.tls_folder must hold tls.crt and tls.key, PEM files that belong together.',
    );
  });
});
