import { vendorNamed } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import { queryCredentials, upstreamQuery } from '../src/upstream/query-credentials.ts';

describe('queryCredentials', () => {
  it.each([
    ['', []],
    ['?', []],
    ['?alt=sse', []],
    ['?alt=sse&key=k1', ['key', 'k1']],
    ['?key=k%311&access_token=t&key=', ['key', 'k11', 'access_token', 't', 'key', '']],
    ['?%6bey=k1', ['key', 'k1']],
    ['?key=%zz', ['key', '%zz']],
    ['?keys=k1&monkey=k2', []],
  ])('finds the credentials in %s', (query, expected) => {
    expect(queryCredentials(query)).toEqual(expected);
  });
});

describe('upstreamQuery', () => {
  const vendor = vendorNamed('gemini');
  const forward = { auth: { kind: 'forward' }, vendor } as const;

  it("keeps a client's own credential, and the spelling of the rest", () => {
    for (const query of ['', '?', '?a=%20&&b=+&key=theirs', '?key']) {
      expect(upstreamQuery(query, forward)).toBe(query);
    }
  });

  it('removes credentials if a key is sent in a header', () => {
    const auth = { kind: 'header', name: 'x-goog-api-key', value: 'own' } as const;
    expect(upstreamQuery('?key=theirs', { auth, vendor })).toBe('');
    expect(upstreamQuery('?key=theirs&alt=sse', { auth, vendor })).toBe('?alt=sse');
    // It is a parameter like any other if the vendor has no such credential.
    expect(upstreamQuery('?key=a', { auth, vendor: vendorNamed('openai') })).toBe('?key=a');
  });

  it("never sends one of the proxy's own tokens", () => {
    const isOwnToken = (value: string) => value === 'token';
    for (const own of [forward, { ...forward, vendor: vendorNamed('openai') }]) {
      expect(upstreamQuery('?key=token&alt=sse', { ...own, isOwnToken })).toBe('?alt=sse');
      expect(upstreamQuery('?key=theirs', { ...own, isOwnToken })).toBe('?key=theirs');
    }
  });

  it('puts a key into the query, under any name', () => {
    const auth = { kind: 'query', name: 'subscription', value: 'o w&n' } as const;
    expect(upstreamQuery('', { auth, vendor })).toBe('?subscription=o%20w%26n');
    expect(upstreamQuery('?subscription=theirs&key=theirs&alt=sse', { auth, vendor })).toBe(
      '?alt=sse&subscription=o%20w%26n',
    );
  });
});
