import { describe, expect, test } from 'vitest';
import { type AccessRules, ClientAccess, type ClientHeaders, type Guard } from '../src/edge/client-access.ts';

const OPEN: AccessRules = { tokens: [], allowedHosts: [], allowedOrigins: [] };

function codeOf(rules: Partial<AccessRules>, headers: ClientHeaders, guard: Guard = 'key'): string {
  const access = new ClientAccess({ ...OPEN, ...rules });
  return access.refusal({ headers, parameters: [], guard })?.code ?? 'let in';
}

describe('with tokens', () => {
  const tokens = ['first-token', 'second-token'];

  test.each([
    { authorization: 'Bearer first-token' },
    { authorization: 'bearer second-token' },
    { 'x-api-key': 'first-token' },
    { 'api-key': 'first-token' },
    { 'x-goog-api-key': 'first-token' },
    { 'x-winnow-token': 'first-token', authorization: 'Bearer sk-of-the-client' },
  ])('a client with one of them is admitted: %o', (headers) => {
    expect(codeOf({ tokens }, headers)).toBe('let in');
    expect(codeOf({ tokens }, { ...headers, host: 'evil.example', origin: 'https://evil.example' })).toBe(
      'let in',
    );
  });

  test.each([
    {},
    { authorization: 'Bearer other' },
    { authorization: 'Bearer first-toke' },
    { authorization: '' },
    { 'x-api-key': 'first-token,second-token' },
    { cookie: 'first-token' },
  ])('a client without one is refused, whatever key it sends: %o', (headers) => {
    expect(codeOf({ tokens }, headers)).toBe('unauthorized');
    expect(codeOf({ tokens }, headers, 'none')).toBe('unauthorized');
  });

  test('a client may send a token in a query parameter for credentials', () => {
    const access = new ClientAccess({ ...OPEN, tokens });
    const request = { headers: {}, guard: 'key' } as const;
    expect(access.refusal({ ...request, parameters: ['key', 'first-token'] })).toBeUndefined();
    expect(access.refusal({ ...request, parameters: ['first-token', 'other'] })?.code).toBe('unauthorized');
  });

  test('a token with a name admits without it, and tells its name', () => {
    const access = new ClientAccess({ ...OPEN, tokens: ['team-a:first', 'second', 'team-a:third'] });
    const of = (token: string) => ({ headers: { authorization: `Bearer ${token}` }, parameters: [] });
    expect(access.refusal({ ...of('first'), guard: 'key' })).toBeUndefined();
    expect(access.refusal({ ...of('team-a:first'), guard: 'key' })?.code).toBe('unauthorized');
    expect(['first', 'second', 'third', 'x'].map((token) => access.tokenNameOf(of(token)))).toEqual([
      'team-a',
      undefined,
      'team-a',
      undefined,
    ]);
    expect(access.tokenNameOf({ headers: {}, parameters: ['key', 'third'] })).toBe('team-a');
    expect(access.isOwnToken('first')).toBe(true);
    expect(access.isOwnToken('team-a:first')).toBe(false);
  });

  test('distinguishes its own tokens from the keys of providers', () => {
    const access = new ClientAccess({ ...OPEN, tokens });
    expect(access.isOwnToken('Bearer first-token')).toBe(true);
    expect(access.isOwnToken('first-token')).toBe(true);
    expect(access.isOwnToken('Bearer sk-proj-1')).toBe(false);
    expect(new ClientAccess(OPEN).isOwnToken('')).toBe(false);
  });

  test('knows a withdrawn token as its own: requests that it admitted are still under way', () => {
    const access = new ClientAccess({ ...OPEN, tokens });
    for (const later of [['another'], ['another'], []]) access.use({ ...OPEN, tokens: later });
    expect(access.isOwnToken('Bearer first-token')).toBe(true);
    expect(access.isOwnToken('another')).toBe(true);
    expect(access.isOwnToken('sk-proj-1')).toBe(false);
    access.use({ ...OPEN, tokens: ['another'] });
    const stale = { headers: { authorization: 'Bearer first-token' }, parameters: [], guard: 'key' } as const;
    expect(access.refusal(stale)?.code).toBe('unauthorized');
  });
});

describe('the sender of a request', () => {
  const senderOf = (headers: ClientHeaders, rules: Partial<AccessRules> = {}, guard: Guard = 'none') =>
    new ClientAccess({ ...OPEN, ...rules }).senderOf({ headers, parameters: [], guard });

  test('is identified by its token, whatever else it sends', () => {
    const tokens = ['team-a:first', 'second'];
    const first = senderOf({ 'x-winnow-token': 'first', authorization: 'Bearer one' }, { tokens }, 'key');
    expect(first).toBeDefined();
    expect(senderOf({ 'x-api-key': 'first', authorization: 'Bearer two' }, { tokens }, 'key')).toBe(first);
    expect(senderOf({ 'x-winnow-token': 'second' }, { tokens }, 'key')).not.toBe(first);
  });

  test('is identified by its only credential, however that is written', () => {
    const sender = senderOf({ authorization: 'Bearer one' });
    expect(sender).toBeDefined();
    expect(senderOf({ authorization: 'bearer   one ' })).toBe(sender);
    expect(senderOf({ 'x-api-key': 'two' })).not.toBe(sender);
  });

  test.each([
    [{}, 'none'],
    [{ authorization: 'Bearer one', 'x-api-key': 'made-up' }, 'none'],
    [{ authorization: 'AWS4-HMAC-SHA256 Credential=a, Signature=b' }, 'none'],
    [{ authorization: 'Bearer made-up' }, 'key'],
    [{ authorization: 'Bearer made-up' }, 'neighbour'],
  ] as const)('is unknown where a client could make up another one: %o, %s', (headers, guard) => {
    expect(senderOf(headers, {}, guard)).toBeUndefined();
  });
});

describe("without tokens, if an operator's key is used", () => {
  test.each([
    'localhost',
    'localhost:8787',
    'LOCALHOST:8787',
    'winnow.localhost',
    '127.0.0.1:8787',
    '10.1.2.3',
    '[::1]:8787',
    '[fe80::1]',
    'proxy:8787',
    'Proxy.',
    '',
  ])('the host %s may be called', (host) => {
    expect(codeOf({ allowedHosts: ['proxy'] }, { host })).toBe('let in');
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    'proxy.evil.example:8787',
    '1.2.3.4.evil.example',
    'proxyx',
  ])('the host %s may not', (host) => {
    expect(codeOf({ allowedHosts: ['proxy'] }, { host })).toBe('host_not_allowed');
  });

  test('only pages of allowed origins may call', () => {
    const rules = { allowedOrigins: ['https://chat.example'] };
    const host = '127.0.0.1:8787';
    expect(codeOf(rules, { host, origin: 'https://chat.example' })).toBe('let in');
    expect(codeOf(rules, { host, origin: 'https://evil.example' })).toBe('origin_not_allowed');
    expect(codeOf(rules, { host, origin: 'null' })).toBe('origin_not_allowed');
    expect(codeOf(rules, { host, origin: 'http://127.0.0.1:9999' })).toBe('origin_not_allowed');
    expect(codeOf(rules, { host, 'sec-fetch-site': 'cross-site' })).toBe('origin_not_allowed');
    expect(codeOf(rules, { host, 'sec-fetch-site': 'none' })).toBe('let in');
  });

  test('clients that bring their own keys need no token', () => {
    expect(codeOf({}, { host: 'evil.example', origin: 'https://evil.example' }, 'none')).toBe('let in');
  });

  test('a server on this machine may be called from its own pages only', () => {
    const host = '127.0.0.1:8787';
    for (const origin of [
      'http://localhost:3000',
      'http://127.0.0.1:9999',
      'http://[::1]',
      'https://chat.example',
    ]) {
      expect(codeOf({ allowedOrigins: ['https://chat.example'] }, { host, origin }, 'neighbour')).toBe(
        'let in',
      );
    }
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example']) {
      expect(codeOf({}, { host, origin }, 'neighbour')).toBe('origin_not_allowed');
    }
    expect(codeOf({}, { host: 'evil.example' }, 'neighbour')).toBe('host_not_allowed');
  });
});
