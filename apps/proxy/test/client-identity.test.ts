import { expect, test } from 'vitest';
import { ClientIdentity } from '../src/sessions/client-identity.ts';
import { KeyedHash } from '../src/sessions/keyed-hash.ts';
import { viewOf } from './request-view.ts';

const ORIGIN = {
  upstream: 'anthropic',
  headers: ['x-api-key', 'one'],
  parameters: [],
  tenantHeaders: [],
  remoteAddress: '10.0.0.1',
};
const identityOf = (changes: Partial<typeof ORIGIN> = {}, secret = 'secret') =>
  new ClientIdentity(() => ({ ...ORIGIN, ...changes }), new KeyedHash(secret, 'test'));

test('a client keeps its tenant from request to request, whatever its address', () => {
  expect(identityOf({ remoteAddress: '10.0.0.2' }).tenant).toBe(identityOf().tenant);
});

test('two credentials, upstreams or secrets never share a tenant', () => {
  const tenants = [
    identityOf(),
    identityOf({ headers: ['x-api-key', 'two'] }),
    identityOf({ upstream: 'openai' }),
    identityOf({}, 'another'),
    identityOf({ headers: [] }),
    identityOf({ headers: [], remoteAddress: '10.0.0.2' }),
  ].map(({ tenant }) => tenant);
  expect(new Set(tenants).size).toBe(tenants.length);
});

test('a tenant reveals nothing about its credential', () => {
  expect(identityOf({ headers: ['x-api-key', 'hunter2'] }).tenant).toMatch(/^[\w-]{43}$/);
});

test('a conversation depends on its first message and its client', () => {
  const [hello, bye] = [viewOf({ tools: [], more: {} }), viewOf({ tools: [], more: { system: 'x' } })];
  const { key, bucket, isNamed } = identityOf().conversationOf(hello);
  expect(identityOf().conversationOf(bye).key).toBe(key);
  expect(identityOf({ headers: ['x-api-key', 'two'] }).conversationOf(hello).key).not.toBe(key);
  expect(bucket).toBeGreaterThanOrEqual(0);
  expect(isNamed).toBe(false);
});

test('a conversation is named by a header, and has no key if nothing identifies it', () => {
  const named = identityOf({ headers: ['x-api-key', 'one', 'x-winnow-session', 's'] }).conversationOf(
    undefined,
  );
  expect([named.isNamed, typeof named.key, typeof named.bucket]).toEqual([true, 'string', 'number']);
  const unknown = identityOf().conversationOf(undefined);
  expect([unknown.isNamed, unknown.key, unknown.bucket]).toEqual([false, undefined, undefined]);
});
