/**
 * @module-tag openssl
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const PROGRAM = resolve(import.meta.dirname, '../../src/health/main.ts');
const certificates = new TestCertificates({ server: 'authority' });
beforeAll(() => certificates.make());
afterAll(() => certificates.remove());

const answerWith =
  (status: number): RequestListener =>
  ({ url }, outgoing) => {
    outgoing.writeHead(url === '/readyz' ? status : 404);
    outgoing.end();
  };

async function listen(server: Server): Promise<string> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return String((server.address() as AddressInfo).port);
}

const exitCode = (...args: string[]) =>
  new Promise<number>((done) => {
    execFile(process.execPath, [PROGRAM, ...args], (error) => done(error === null ? 0 : Number(error.code)));
  });

const withTls = (status: number, more: object = {}) =>
  createTlsServer(
    {
      cert: readFileSync(certificates.file('server.pem')),
      key: readFileSync(certificates.file('server.key')),
      ...more,
    },
    answerWith(status),
  );

test('only a service that is ready is healthy', async () => {
  const ready = await listen(createServer(answerWith(200)));
  expect(await exitCode(ready, '/readyz', '', '')).toBe(0);
  expect(await exitCode(ready, '/elsewhere', '', '')).toBe(1);
  expect(await exitCode(await listen(createServer(answerWith(503))), '/readyz')).toBe(1);
  expect(await exitCode('1', '/readyz')).toBe(1);
});

test('a service with TLS is checked over TLS, whatever names its certificate has', async () => {
  const ready = await listen(withTls(200));
  expect(await exitCode(ready, '/readyz', 'server.pem')).toBe(0);
  expect(await exitCode(ready, '/readyz')).toBe(1);
  expect(await exitCode(await listen(withTls(503)), '/readyz', 'server.pem')).toBe(1);
});

test('a service that requires a certificate is healthy when it offers its own', async () => {
  const ca = readFileSync(certificates.file('authority.pem'));
  const port = await listen(withTls(200, { ca, requestCert: true, rejectUnauthorized: true }));
  expect(await exitCode(port, '/readyz', 'server.pem', 'authority.pem')).toBe(0);
  expect(await exitCode(await listen(createServer(answerWith(200))), '/readyz', 'server.pem', 'ca.pem')).toBe(
    1,
  );
});
