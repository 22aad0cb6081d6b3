import { vendorNamed } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import type { Upstream } from '../src/upstream/choose-upstream.ts';
import { mergeHeaders, toClientHeaders, toUpstreamHeaders } from '../src/upstream/headers.ts';

const upstream: Upstream = {
  name: 'openai',
  vendor: vendorNamed('openai'),
  origin: 'https://api.openai.com',
  basePath: '',
  auth: { kind: 'forward' },
  retryAttempts: 0,
  idleTimeoutMs: 0,
  load: 'auto',
};

describe('toUpstreamHeaders', () => {
  it('forwards unknown headers in their order, case and repetition', () => {
    const client = [
      'X-Stainless-Lang',
      'js',
      'anthropic-beta',
      'a',
      'Anthropic-Beta',
      'b',
      'OpenAI-Organization',
      'o',
    ];
    expect(toUpstreamHeaders(client, { upstream })).toEqual(client);
  });

  it.each([
    'Connection',
    'Keep-Alive',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'Host',
    'Content-Length',
    'Proxy-Authorization',
    'Origin',
    'Referer',
    'Cookie',
    'Forwarded',
    'X-Forwarded-For',
    'X-Winnow-Session',
  ])('omits %s', (name) => {
    expect(toUpstreamHeaders([name, 'x', 'accept', 'y'], { upstream })).toEqual(['accept', 'y']);
  });

  it('omits headers that the Connection header names', () => {
    expect(
      toUpstreamHeaders(['connection', 'close, X-Hop', 'x-hop', '1', 'x-end', '2'], { upstream }),
    ).toEqual(['x-end', '2']);
  });

  it("replaces the client's credential if the upstream has its own", () => {
    const client = ['Authorization', 'Bearer client', 'x-api-key', 'client', 'accept', 'y'];
    expect(
      toUpstreamHeaders(client, {
        upstream: { ...upstream, auth: { kind: 'header', name: 'authorization', value: 'Bearer own' } },
      }),
    ).toEqual(['accept', 'y', 'authorization', 'Bearer own']);
  });

  it("sends the credential in a header of any name, and drops the client's header of that name", () => {
    const auth = { kind: 'header', name: 'x-gateway-key', value: 'own' } as const;
    const client = [
      'X-Gateway-Key',
      'client',
      'api-key',
      'client',
      'X-Goog-Api-Key',
      'client',
      'accept',
      'y',
    ];
    expect(toUpstreamHeaders(client, { upstream: { ...upstream, auth } })).toEqual([
      'accept',
      'y',
      'x-gateway-key',
      'own',
    ]);
  });

  it('sends no credential of the client with a key in the query', () => {
    const auth = { kind: 'query', name: 'key', value: 'own' } as const;
    const client = ['Authorization', 'Bearer client', 'key', 'of no interest', 'accept', 'y'];
    expect(toUpstreamHeaders(client, { upstream: { ...upstream, auth } })).toEqual([
      'key',
      'of no interest',
      'accept',
      'y',
    ]);
  });
});

describe('toClientHeaders', () => {
  const upstreamHeaders = [
    'content-type',
    'application/json',
    'content-encoding',
    'gzip',
    'content-length',
    '12',
    'request-id',
    'req_1',
    'set-cookie',
    'a=b',
    'alt-svc',
    'h3',
    'connection',
    'keep-alive',
    'retry-after',
    '7',
  ];

  it('keeps length and encoding of an untouched body', () => {
    expect(toClientHeaders(upstreamHeaders, 'untouched')).toEqual([
      'content-type',
      'application/json',
      'content-encoding',
      'gzip',
      'content-length',
      '12',
      'request-id',
      'req_1',
      'retry-after',
      '7',
    ]);
  });

  it('drops headers that Connection names, which apply only to that connection', () => {
    const headers = ['connection', 'close, X-Hop', 'x-hop', '1', 'x-other', '2'];
    expect(toClientHeaders(headers, 'untouched')).toEqual(['x-other', '2']);
  });

  it.each([
    ['content-md5', 'Q2hlY2sgSW50ZWdyaXR5IQ=='],
    ['digest', 'sha-256=X48E9q'],
    ['ETag', '"33a64df5"'],
  ])('keeps %s of an untouched body, and drops it for a rewritten one', (name, value) => {
    const headers = [name, value, 'x-other', '1'];
    expect(toClientHeaders(headers, 'untouched')).toEqual(headers);
    expect(toClientHeaders(headers, 'rewritten')).toEqual(['x-other', '1']);
  });

  it('drops headers that describe the bytes of a rewritten body', () => {
    expect(toClientHeaders(upstreamHeaders, 'rewritten')).toEqual([
      'content-type',
      'application/json',
      'request-id',
      'req_1',
      'retry-after',
      '7',
    ]);
  });
});

it('headers that Bedrock sends for one response are dropped for several', () => {
  const first = [
    'x-amzn-requestid',
    'r',
    'X-Amzn-Bedrock-Input-Token-Count',
    '5',
    'x-amzn-bedrock-invocation-latency',
    '9',
  ];
  expect(mergeHeaders(first, [])).toEqual(['x-amzn-requestid', 'r']);
  expect(mergeHeaders(first, first)).toEqual(first);
});

describe('mergeHeaders', () => {
  it('uses the limits of the last response and all other headers of the first', () => {
    const first = ['request-id', 'one', 'x-ratelimit-remaining-tokens', '9', 'x-first', '1'];
    const last = [
      'request-id',
      'two',
      'X-RateLimit-Remaining-Tokens',
      '4',
      'anthropic-ratelimit-reset',
      'soon',
    ];
    expect(mergeHeaders(first, last)).toEqual([
      'request-id',
      'one',
      'x-first',
      '1',
      'X-RateLimit-Remaining-Tokens',
      '4',
      'anthropic-ratelimit-reset',
      'soon',
    ]);
  });
});
