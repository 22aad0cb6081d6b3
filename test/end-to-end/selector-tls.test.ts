/**
 * @module-tag openssl
 */
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DEFAULT_SETTINGS, startSelector } from '@winnow/selector';
import { DEFER_ANYTHING, playModel, startUpstream, TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startProcess } from '../deploy/start-process.ts';
import { FEW_TOOLS, send } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;

/** A model that searches once for a tool and calls it if it can see it. */
const searchesOnce = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});

const certificates = new TestCertificates({
  server: 'authority',
  client: 'authority',
  'strange-client': 'stranger',
});
beforeAll(() => certificates.make());
afterAll(() => certificates.remove());

/**
 * A selector with TLS; if it is mutual, it accepts only clients with a certificate of the authority. Returns
 * its search address.
 */
async function startTlsSelector({ isMutual }: { isMutual: boolean }): Promise<string> {
  const settings = {
    tlsCertFile: certificates.file('server.pem'),
    tlsKeyFile: certificates.file('server.key'),
    ...(isMutual && { tlsClientCaFile: certificates.file('authority.pem') }),
  };
  const selector = await startSelector(
    { ...DEFAULT_SETTINGS, port: 0, drainTimeoutMs: 0, ...settings },
    { now: () => 0, wallClock: () => 0, makeId: () => 'test', writeLog: () => {} },
  );
  onTestFinished(async () => {
    await selector.close();
  });
  return `${selector.url}/v1/tool-discovery/search`;
}

/** Settings of the proxy by their last word, such as `ca`, with the name of the file. */
function tlsSettings(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([field, name]) => [
      `PROXY_TOOLS_API_${field.toUpperCase()}_FILE`,
      certificates.file(name),
    ]),
  );
}

const CLIENT = { cert: 'client.pem', key: 'client.key' };

/** The outcome of a search over TLS, and the client's response. */
async function searchWith(files: Readonly<Record<string, string>>) {
  const selectorUrl = await startTlsSelector({ isMutual: true });
  const stack = await startStack({ model: searchesOnce, selectorUrl, settings: tlsSettings(files) });
  const answer = await (await send({ format: 'openai', url: stack.proxyUrl })).text();
  await recordsOf(stack, 1);
  return { answer, outcome: stack.records[0]!.searches[0]!.outcome };
}

describe('a selector behind mutual TLS', () => {
  test('is asked with the certificate and the authorities of its provider', async () => {
    const { answer, outcome } = await searchWith({ ca: 'authority.pem', ...CLIENT });
    expect(outcome).toBe('found');
    expect(answer).toContain(WANTED);
  });

  test.each<[string, Record<string, string>]>([
    ['its certificate is of another authority', { ca: 'stranger.pem', ...CLIENT }],
    ["its certificate is of none of Node's authorities", CLIENT],
    ['it is shown no certificate', { ca: 'authority.pem' }],
    [
      'it is shown one of another authority',
      { ca: 'authority.pem', cert: 'strange-client.pem', key: 'strange-client.key' },
    ],
  ])('is not asked when %s, and the model sees all tools', async (_, files) => {
    const { answer, outcome } = await searchWith(files);
    expect(outcome).toBe('api_error');
    expect(answer).toContain(WANTED);
  });
});

test('without a ca_file, NODE_EXTRA_CA_CERTS names the authorities that are trusted in addition to Node’s own', async () => {
  const selectorUrl = await startTlsSelector({ isMutual: false });
  const upstream = await startUpstream({ model: searchesOnce });
  onTestFinished(() => upstream.close());
  const proxy = startProcess({
    command: [process.execPath, fileURLToPath(new URL('../../apps/proxy/src/main.ts', import.meta.url))],
    folder: tmpdir(),
    environment: {
      NODE_EXTRA_CA_CERTS: certificates.file('authority.pem'),
      ...DEFER_ANYTHING,
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: 'none',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      PROXY_TOOLS_API_ENDPOINT: selectorUrl,
    },
  });
  const [, url] = await proxy.says(/listens on (http:\/\/127\.0\.0\.1:\d+)/);
  await (await send({ format: 'openai', url: url! })).text();
  const [, outcome] = await proxy.says(/"searches":\[\{[^\]]*"outcome":"(\w+)"/);
  expect(outcome).toBe('found');
});

describe('the proxy does not start', () => {
  test.each<[string, Record<string, string>, string]>([
    [
      'without a file that is named',
      { ca: 'missing.pem' },
      'tools.api.ca_file must name a file that can be read (ENOENT).',
    ],
    [
      'with authorities that are none',
      { ca: 'no-certificate.pem' },
      'tools.api.ca_file must be a PEM file of certificates.',
    ],
    [
      'with the key of another certificate',
      { cert: 'client.pem', key: 'server.key' },
      'tools.api.cert_file and tools.api.key_file must be PEM files that belong together.',
    ],
    [
      'with a certificate without a key',
      { cert: 'client.pem' },
      'tools.api.key_file must be set: a certificate and its key go together.',
    ],
    [
      'with a key without a certificate',
      { key: 'client.key' },
      'tools.api.cert_file must be set: a certificate and its key go together.',
    ],
  ])('%s', async (_, files, message) => {
    await expect(startStack({ model: searchesOnce, settings: tlsSettings(files) })).rejects.toThrow(message);
  });
});
