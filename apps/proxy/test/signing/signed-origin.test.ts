import { vendorNamed } from '@winnow/wire';
import { expect, test } from 'vitest';
import { ClientIdentity, originOf } from '../../src/sessions/client-identity.ts';
import { KeyedHash } from '../../src/sessions/keyed-hash.ts';
import type { SignedBy, Target } from '../../src/upstream/choose-upstream.ts';

const upstream = { name: 'aws', vendor: vendorNamed('anthropic') } as Target['upstream'];

function tenantOf(signature: string, signedBy: SignedBy | undefined, remoteAddress = '10.0.0.1') {
  return tenantOfText(`AWS4-HMAC-SHA256 Credential=AK/x, Signature=${signature}`, signedBy, remoteAddress);
}

function tenantOfText(authorization: string, signedBy?: SignedBy, remoteAddress = '10.0.0.1') {
  const rawHeaders = ['Authorization', authorization];
  const target: Target = { upstream, clientPath: '/', query: '', path: '/', signedBy };
  const origin = originOf({ rawHeaders, remoteAddress }, target, []);
  const { client, tenant, hasCredential } = new ClientIdentity(() => origin, new KeyedHash('s', 'test'));
  return { client, tenant, hasCredential };
}

test('identifies a client that knows the secret by its key, whatever its signature', () => {
  const first = tenantOf('1', { accessKeyId: 'AK' });
  expect(first.hasCredential).toBe(true);
  expect(tenantOf('2', { accessKeyId: 'AK' }, '10.0.0.2')).toEqual(first);
  expect(tenantOf('1', { accessKeyId: 'OTHER' })).not.toEqual(first);
});

test("does not count an unknown client's key as a credential", () => {
  const unknown = tenantOf('1', 'unknown');
  expect(unknown.hasCredential).toBe(false);
  expect(tenantOf('2', 'unknown')).toEqual(unknown);
  expect(tenantOf('1', 'unknown', '10.0.0.2')).not.toEqual(unknown);
});

test.each(['signed by AK', 'signed by AK '])('does not count the text "%s" as a signature', (text) => {
  const stranger = tenantOfText(text);
  expect(stranger.tenant).not.toBe(tenantOf('1', { accessKeyId: 'AK' }).tenant);
  expect(stranger.hasCredential).toBe(false);
  expect(tenantOfText(text, undefined, '10.0.0.2').tenant).not.toBe(stranger.tenant);
});
