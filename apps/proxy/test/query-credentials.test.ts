import { describe, expect, it } from 'vitest';
import { queryCredentials, upstreamQuery } from '../src/upstream/upstream-auth.ts';

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
  const forward = { auth: { kind: 'forward' } } as const;

  it("keeps a client's own credential, and the spelling of the rest", () => {
    for (const query of ['', '?', '?a=%20&&b=+&key=theirs', '?key']) {
      expect(upstreamQuery(query, forward)).toBe(query);
    }
  });

  it('removes credentials if a key is sent in a header', () => {
    const auth = { kind: 'header', name: 'x-goog-api-key', value: 'own' } as const;
    expect(upstreamQuery('?key=theirs', { auth })).toBe('');
    expect(upstreamQuery('?key=theirs&alt=sse', { auth })).toBe('?alt=sse');
  });

  it.each(['key', 'Key', 'api-key', 'api_key', 'apikey', 'access_token', '%6bey', 'api%2Dkey'])(
    "never sends a client's %s next to an operator's key",
    (name) => {
      const key = { name: 'authorization', value: 'own' } as const;
      for (const auth of [{ kind: 'header', ...key } as const, { kind: 'query', ...key } as const]) {
        expect(upstreamQuery(`?${name}=theirs&alt=sse`, { auth })).not.toContain('theirs');
      }
      expect(upstreamQuery(`?${name}=theirs`, forward)).toBe(`?${name}=theirs`);
    },
  );

  it("removes the name of the operator's header", () => {
    const auth = { kind: 'header', name: 'x-key', value: 'own' } as const;
    expect(upstreamQuery('?x-key=theirs', { auth })).toBe('');
  });

  it("never sends one of the proxy's own tokens", () => {
    const isOwnToken = (value: string) => value === 'token';
    expect(upstreamQuery('?key=token&alt=sse', { ...forward, isOwnToken })).toBe('?alt=sse');
    expect(upstreamQuery('?key=theirs', { ...forward, isOwnToken })).toBe('?key=theirs');
  });

  it('puts a key into the query, under any name', () => {
    const auth = { kind: 'query', name: 'subscription', value: 'o w&n' } as const;
    expect(upstreamQuery('', { auth })).toBe('?subscription=o%20w%26n');
    expect(upstreamQuery('?subscription=theirs&key=theirs&alt=sse', { auth })).toBe(
      '?alt=sse&subscription=o%20w%26n',
    );
  });
});
