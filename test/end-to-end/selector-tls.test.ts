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
    tlsFolder: certificates.folder({ cert: 'server.pem', key: 'server.key' }),
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

type Files = Parameters<TestCertificates['folder']>[0];

/** Settings of a proxy with these files in its folder. */
const tlsSettings = (files: Files) => ({ PROXY_CLIENT_TLS_FOLDER: certificates.folder(files) });

const CLIENT = { cert: 'client.pem', key: 'client.key' };

/** The outcome of a search over TLS, and the client's response. */
async function searchWith(files: Files) {
  const selectorUrl = await startTlsSelector({ isMutual: true });
  const stack = await startStack({ model: searchesOnce, selectorUrl, settings: tlsSettings(files) });
  const answer = await (await send({ format: 'openai', url: stack.proxyUrl })).text();
  await recordsOf(stack, 1);
  return { answer, outcome: stack.records[0]!.searches[0]!.outcome };
}

describe('a selector behind mutual TLS', () => {
  test('is asked with the certificate and the authorities that are set', async () => {
    const { answer, outcome } = await searchWith({ ca: 'authority.pem', ...CLIENT });
    expect(outcome).toBe('found');
    expect(answer).toContain(WANTED);
  });

  test.each<[string, Files]>([
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

test('without ca.crt, NODE_EXTRA_CA_CERTS names the authorities that are trusted in addition to Node’s own', async () => {
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

test('the proxy does not start with files that are no good', async () => {
  const settings = tlsSettings({ cert: 'client.pem', key: 'server.key' });
  await expect(startStack({ model: searchesOnce, settings })).rejects.toThrow('client.tls_folder');
});
