import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { playModel } from '@winnow/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { bodyOf, FEW_TOOLS, send } from './raw-client.ts';
import { recordsOf, type Stack, type StackOptions, startStack } from './start-stack.ts';

const SIGNING = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'operators/secret+key',
  sessionToken: 'operators-session',
  region: 'eu-central-1',
  service: 'bedrock-mantle',
};
const SIGNS = { PROXY_UPSTREAMS_ANTHROPIC_AUTH: `sigv4:${SIGNING.region}/${SIGNING.service}` };
const WITH_KEY = {
  ...SIGNS,
  AWS_ACCESS_KEY_ID: SIGNING.accessKeyId,
  AWS_SECRET_ACCESS_KEY: SIGNING.secretAccessKey,
  AWS_SESSION_TOKEN: SIGNING.sessionToken,
};
const WANTED = FEW_TOOLS[9]!.name;
const MODEL = playModel({
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
});
const start = (settings: Record<string, string> = WITH_KEY, effects: StackOptions['effects'] = {}) =>
  startStack({ model: MODEL, signing: SIGNING, settings, effects });

/** The request of a client that signs for the proxy's address with its own keys. */
const SIGNED_BY_CLIENT = {
  authorization: `AWS4-HMAC-SHA256 Credential=DUMMY/20261122/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
  'x-amz-date': '20261122T100000Z',
  'x-amz-security-token': 'clients-session',
};

function expectSigned({ upstream }: Stack, count: number): void {
  expect(upstream.requests).toHaveLength(count);
  expect(upstream.rejected().map(({ rejection }) => rejection)).toEqual([]);
  expect(JSON.stringify(upstream.requests.map(({ headers }) => headers))).not.toMatch(
    /DUMMY|clients-session|"key"/,
  );
}

describe('an upstream that wants signatures', () => {
  test.each([false, true])('gets one on every round, over what is sent (streamed: %s)', async (isStream) => {
    const stack = await start();
    const response = await send({
      format: 'anthropic',
      url: stack.proxyUrl,
      isStream,
      headers: SIGNED_BY_CLIENT,
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(WANTED);
    expectSigned(stack, 2);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ planReason: 'deferred', searches: [{ outcome: 'found' }] }]);
    expect(JSON.stringify([stack.records, stack.events])).not.toMatch(/operators|clients-session|Signature/);
  });

  test('gets one on what is passed on untouched, on other paths, and in every mode', async () => {
    const off = await start({ ...WITH_KEY, PROXY_ROLLOUT_MODE: 'off' });
    await (await send({ format: 'anthropic', url: off.proxyUrl })).text();
    await (await fetch(`${off.proxyUrl}/anthropic/v1/models?limit=5&after=a%2Fb%20c&x`)).text();
    await (await fetch(`${off.proxyUrl}/anthropic/v1/files/a%3Ab/c:d`, { method: 'DELETE' })).text();
    expectSigned(off, 3);
    const dark = await start({ ...WITH_KEY, PROXY_ROLLOUT_MODE: 'shadow' });
    await (await send({ format: 'anthropic', url: dark.proxyUrl })).text();
    const bypassed = { tools: undefined };
    await (await send({ format: 'anthropic', url: dark.proxyUrl, more: bypassed })).text();
    expectSigned(dark, 2);
  });

  test('gets one on a body that comes in pieces, which it holds back until it is whole', async () => {
    const stack = await start({ ...WITH_KEY, PROXY_ROLLOUT_MODE: 'off' });
    const body = bodyOf({ format: 'anthropic', url: '', user: 'x'.repeat(300_000) });
    expect(await post(stack.proxyUrl, [body.slice(0, 100_000), body.slice(100_000)], {})).toBe(200);
    expectSigned(stack, 1);
    expect(stack.upstream.requests[0]!.text).toBe(body);
  });

  test('refuses a body that is longer than may be read, and one for which there is no memory', async () => {
    const small = await start({ ...WITH_KEY, PROXY_ROLLOUT_MODE: 'off', PROXY_SERVER_MAX_BODY: '100KiB' });
    expect(await post(small.proxyUrl, ['x'.repeat(150_000), 'x'.repeat(50_000)], {})).toBe(413);
    const full = await start({ ...WITH_KEY, PROXY_ROLLOUT_MODE: 'off' }, { memory: 350_000 });
    expect(await post(full.proxyUrl, ['x'.repeat(150_000), 'x'.repeat(50_000)], {})).toBe(503);
    expect([...small.upstream.requests, ...full.upstream.requests]).toEqual([]);
  });

  test('takes a body while it comes whose client says its hash', async () => {
    const stack = await start({ ...WITH_KEY, PROXY_ROLLOUT_MODE: 'off' }, { memory: 350_000 });
    const body = bodyOf({ format: 'anthropic', url: '', user: 'x'.repeat(300_000) });
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(body))).toString('hex');
    expect(await post(stack.proxyUrl, [body], { 'x-amz-content-sha256': hash })).toBe(200);
    expectSigned(stack, 1);
    expect(await post(stack.proxyUrl, [body], { 'x-amz-content-sha256': 'f'.repeat(64) })).toBe(403);
  });
});

/** The places that the vendor's own chain searches, away from the machine that runs the tests. */
function setVariables(variables: Record<string, string>): void {
  const own = {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: 'none',
    AWS_SHARED_CREDENTIALS_FILE: 'none',
  };
  Object.assign(process.env, own, variables);
  onTestFinished(() => {
    for (const name of [...Object.keys(own), ...Object.keys(variables)]) delete process.env[name];
  });
}

test("signs with what the vendor's own chain finds", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-signing-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'credentials');
  const { accessKeyId, secretAccessKey, sessionToken } = SIGNING;
  writeFileSync(
    file,
    `[work]\naws_access_key_id=${accessKeyId}\naws_secret_access_key=${secretAccessKey}\naws_session_token=${sessionToken}\n`,
  );
  setVariables({ AWS_SHARED_CREDENTIALS_FILE: file, AWS_PROFILE: 'work' });
  const stack = await start(SIGNS);
  expect((await send({ format: 'anthropic', url: stack.proxyUrl })).status).toBe(200);
  expectSigned(stack, 2);
});

describe('without credentials', () => {
  beforeEach(() => setVariables({}));

  test('says what to set, in the shape of the format', async () => {
    const stack = await start(SIGNS);
    const response = await send({ format: 'anthropic', url: stack.proxyUrl });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: {
        type: 'permission_error',
        message: expect.stringContaining('AWS_ACCESS_KEY_ID'),
      },
    });
    expect(stack.upstream.requests).toEqual([]);
    expect(stack.events).toMatchObject([{ event: 'no_credentials', cause: 'CredentialsProviderError' }]);
  });

  test('refuses a signature that no other host can check, and says what to set', async () => {
    const stack = await start({});
    const response = await send({ format: 'anthropic', url: stack.proxyUrl, headers: SIGNED_BY_CLIENT });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('set upstreams.anthropic.auth: sigv4');
    expect(stack.upstream.requests).toEqual([]);
  });

  test.each([{}, SIGNS])(
    'passes a request on untouched that is signed for the upstream itself (%o)',
    async (settings) => {
      const stack = await startStack({ model: MODEL, settings });
      const body = bodyOf({ format: 'anthropic', url: '' });
      const headers = { ...SIGNED_BY_CLIENT, host: new URL(stack.upstream.url).host };
      expect(await post(stack.proxyUrl, [body], headers)).toBe(200);
      await recordsOf(stack, 1);
      expect(stack.records).toMatchObject([{ planReason: 'signed_request' }]);
      expect(stack.upstream.requests.map(({ text }) => text)).toEqual([body]);
      expect(stack.upstream.requests[0]!.headers).toMatchObject(SIGNED_BY_CLIENT);
    },
  );
});

/** Sends a body in pieces, without its length, and returns the status. */
function post(url: string, pieces: readonly string[], headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const own = {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'transfer-encoding': 'chunked',
    };
    const request = httpRequest(
      `${url}/v1/messages`,
      { method: 'POST', headers: { ...own, ...headers } },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode!));
      },
    );
    request.on('error', reject);
    for (const piece of pieces) request.write(piece);
    request.end();
  });
}
