import { gzipSync } from 'node:zlib';
import {
  answer,
  callTool,
  type ReceivedRequest,
  type ScriptEntry,
  say,
  startUpstream,
} from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ByteRequest, endToEndHeaders, sendBytes } from './byte-client.ts';
import { hangs, REFUSED, startFakeSelector } from './fake-selector.ts';
import { bodyOf, FEW_TOOLS, PATH_OF, type WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];

/** All rollout modes that alter nothing. */
const ARMS: readonly [arm: string, settings: Readonly<Record<string, string>>][] = [
  ['off', { PROXY_ROLLOUT_MODE: 'off' }],
  ['dark', { PROXY_ROLLOUT_MODE: 'dark' }],
  ['shadow', { PROXY_ROLLOUT_MODE: 'shadow' }],
  // So low a percentage that the only session of these tests is outside; its bucket is always the same.
  ['shadow', { PROXY_ROLLOUT_MODE: 'partial', PROXY_ROLLOUT_PERCENT: '0.0001' }],
];

const HEADERS: Readonly<Record<WireFormat, Readonly<Record<string, string>>>> = {
  openai: { 'Content-Type': 'application/json', Authorization: 'Bearer key', 'X-Unknown': 'Kept, as it is' },
  anthropic: {
    'content-type': 'application/json; charset=utf-8',
    'x-api-key': 'key',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'one-2025-01-01,two-2025-01-01',
    accept: '*/*',
    'accept-encoding': 'gzip, br',
  },
};

interface Case {
  readonly body?: (format: WireFormat) => Uint8Array | readonly Uint8Array[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly script?: readonly ScriptEntry[];
}

const whole = (format: WireFormat) => Buffer.from(bodyOf({ format, url: '' }));
const streamed = (format: WireFormat) => Buffer.from(bodyOf({ format, url: '', isStream: true }));
const calls = (delivery: object = {}): readonly ScriptEntry[] => [
  answer([say('Grüße, 世界 🌍. '), callTool(FEW_TOOLS[9]!.name, { text: 'é' })], { delivery }),
];

const CASES: Readonly<Record<string, Case>> = {
  'a whole answer': { script: calls() },
  'a whole answer, compressed': { script: calls({ isGzipped: true }) },
  'a stream': { body: streamed, script: calls() },
  'a stream in single bytes': { body: streamed, script: calls({ cut: 'bytes' }) },
  'a stream, compressed': { body: streamed, script: calls({ isGzipped: true }) },
  'a stream that breaks off': {
    body: streamed,
    script: calls({ truncate: { afterBytes: 200, by: 'destroy' } }),
  },
  'a stream that ends in the middle': {
    body: streamed,
    script: calls({ truncate: { afterBytes: 200, by: 'end' } }),
  },
  'a refusal': {
    script: [{ kind: 'error', status: 429, message: 'too much', headers: { 'retry-after': '7' } }],
  },
  'an answer that is none': { script: [{ kind: 'bytes', body: '<html>', headers: { 'x-odd': '1' } }] },
  'a compressed request': {
    body: (format) => gzipSync(whole(format)),
    headers: { 'content-encoding': 'gzip' },
  },
  'a request in an unknown compression': { headers: { 'content-encoding': 'lzma' } },
  'a request in chunks': { body: (format) => [whole(format).subarray(0, 100), whole(format).subarray(100)] },
  'a request that is no JSON': { body: () => Buffer.from('{"model": "m", "tools": [') },
  'a request that is no text': { body: () => Buffer.from([0xff, 0xfe, 0, 1, 2, 0x80]) },
  'an empty request': { body: () => Buffer.alloc(0) },
  'a request with odd white space and numbers': {
    body: () =>
      Buffer.from(
        '{ "x" : 1.0,\t"x": 12345678901234567890,\r\n "messages": [{"role":"user","content":"\\u00e9"}] }',
      ),
  },
};

describe.each(ARMS)('in %s (%o)', (arm, settings) => {
  test.each(FORMATS)('%s: everything passes to the byte, both ways', async (format) => {
    const cases = Object.entries(CASES);
    const script = cases.flatMap(([, one]) => one.script ?? calls());
    const stack = await startStack({ script, isLenient: true, settings, selectorUrl: REFUSED });
    const direct = await startUpstream({ script, isLenient: true });
    onTestFinished(() => direct.close());
    for (const [number, [what, one]] of cases.entries()) {
      const request: ByteRequest = {
        path: PATH_OF[format],
        headers: { ...HEADERS[format], ...one.headers },
        body: (one.body ?? whole)(format),
      };
      const expected = await sendBytes(direct.url, request);
      expect(await sendBytes(stack.proxyUrl, request), what).toEqual(expected);
      expectSameRequest(stack.upstream.requests[number]!, direct.requests[number]!, what);
    }
    await recordsOf(stack, cases.length);
    expect(stack.records.every((record) => record.arm === arm && record.upstreamCalls === 1)).toBe(true);
  });

  test('paths of no known format pass as well', async () => {
    const stack = await startStack({ settings, selectorUrl: REFUSED });
    await sendBytes(stack.proxyUrl, { path: '/v1/embeddings?a=%20b', body: Buffer.from([0xff, 0]) });
    await sendBytes(stack.proxyUrl, { path: '/v1/models?limit=3', method: 'GET', body: [] });
    expect(stack.upstream.requests.map(({ path, bytes }) => [path, [...bytes]])).toEqual([
      ['/v1/embeddings?a=%20b', [0xff, 0]],
      ['/v1/models?limit=3', []],
    ]);
    expect(stack.records).toEqual([]);
  });
});

function expectSameRequest(received: ReceivedRequest, sent: ReceivedRequest, what: string): void {
  expect([received.method, received.path], what).toEqual([sent.method, sent.path]);
  expect(received.bytes.equals(sent.bytes), what).toBe(true);
  expect(linesOf(received), what).toEqual(linesOf(sent));
}

/** A body that was read first has a length; a request without one is none the worse for it. */
function linesOf({ rawHeaders }: ReceivedRequest): string[] {
  const headers = endToEndHeaders(rawHeaders);
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
  return lines.filter((line) => !line.startsWith('content-length:')).sort();
}

const LARGE = 60 * 1024 * 1024;

describe.each(ARMS.slice(0, 3))('in %s (%o)', (arm, settings) => {
  test('a request and an answer that are too large to be read pass all the same', async () => {
    const script: readonly ScriptEntry[] = [{ kind: 'bytes', body: Buffer.alloc(LARGE, 'b') }];
    const stack = await startStack({ script, isLenient: true, settings, selectorUrl: REFUSED });
    const answered = await sendBytes(stack.proxyUrl, {
      path: PATH_OF.openai,
      headers: HEADERS.openai,
      body: Buffer.alloc(LARGE, 'a'),
    });
    expect([answered.status, answered.bytes.length]).toEqual([200, LARGE]);
    expect(stack.upstream.requests[0]!.bytes.length).toBe(LARGE);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ arm, planReason: 'not_read', outcome: 'answered' }]);
    expect(stack.records[0]!.observation).toEqual(arm === 'off' ? undefined : { status: 'dropped' });
  });
});

describe.each(ARMS.slice(1))('in %s (%o)', (_, settings) => {
  test('a client never waits for the selector', async () => {
    const stack = await startStack({
      script: calls(),
      settings: { ...settings, PROXY_PROVIDERS_SELECTOR_TIMEOUT: '20s' },
      selectorUrl: await startFakeSelector(hangs),
      // The end of the test does not wait for it either.
      effects: { deadline: () => AbortSignal.timeout(1) },
    });
    const answered = await sendBytes(stack.proxyUrl, {
      path: PATH_OF.openai,
      headers: HEADERS.openai,
      body: streamed('openai'),
    });
    expect([answered.status, answered.isWhole]).toEqual([200, true]);
    // The observation is still pending: the selector has not responded.
    expect(stack.records).toEqual([]);
  });
});
