/**
 * @module-tag openssl
 */
import { TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { searchFor, startFollowingSelector, startTestRegistry, until } from './registry-stack.ts';

const certificates = new TestCertificates({ server: 'authority', client: 'authority' });
beforeAll(() => certificates.make());
afterAll(() => certificates.remove());

const mutual = () => ({
  tlsFolder: certificates.folder({ cert: 'server.pem', key: 'server.key' }),
  tlsClientCaFile: certificates.file('authority.pem'),
});

test('a registry behind mutual TLS is followed with the certificate that is set', async () => {
  const registry = await startTestRegistry(mutual());
  const { url } = await startFollowingSelector(registry.url, {
    clientTlsFolder: certificates.folder({ ca: 'authority.pem', cert: 'client.pem', key: 'client.key' }),
  });
  await until(
    () => searchFor(url, 'x'),
    ({ status }) => status === 200,
  );
});

test('a registry whose certificate is not trusted is not followed, and the log says why', async () => {
  const registry = await startTestRegistry(mutual());
  const { url, events } = await startFollowingSelector(registry.url);
  const away = await until(
    async () => events().find(({ event }) => event === 'registry_away'),
    (event) => event !== undefined,
  );
  expect(away).toMatchObject({
    reason: 'unreachable',
    problem: expect.stringMatching(/CERT|SELF_SIGNED|ISSUER/),
  });
  expect((await searchFor(url, 'x')).status).toBe(503);
});

test('files that are no good stop the start with the name of their setting', async () => {
  await expect(
    startFollowingSelector('https://127.0.0.1:9', { clientTlsFolder: '/nowhere' }),
  ).rejects.toThrow('client.tls_folder must hold');
});
