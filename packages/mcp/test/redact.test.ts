import { expect, test } from 'vitest';
import { Redactor } from '../src/servers/describe-failure.ts';
import { secretsOf } from '../src/servers/server-entry.ts';

test('R57: no secret of a configuration is left in a text', () => {
  const url = 'https://user:p%40ssword@host.test/mcp?key=query-secret';
  const headers = { Authorization: 'Bearer header-secret' };
  const auth = {
    type: 'client_credentials',
    clientId: 'id',
    clientSecret: 'client/secret',
    scope: undefined,
    issuer: 'https://id.test',
  } as const;
  const redactor = new Redactor(
    secretsOf({ transport: { type: 'http', url, headers, auth, deniesPrivate: false } }),
  );
  redactor.add('granted-token');
  const told = redactor.quote(
    `at ${url}: Bearer header-secret, header-secret, client/secret, client%2Fsecret, p@ssword, granted-token`,
  );
  expect(told).toBe('at https://user:***@host.test/mcp?key=***: ***, ***, ***, ***, ***, ***');
});

test('R57: a password with a percent sign that stands for itself is not shown', () => {
  const url = 'https://user:100%25-of-100%@host.test/mcp';
  const told = new Redactor(
    secretsOf({ transport: { type: 'http', url, headers: {}, auth: undefined, deniesPrivate: false } }),
  ).quote(`at ${url}`);
  expect(told).toBe('at https://user:***@host.test/mcp');
});

test.each([
  ['short', 'short-and-more'],
  ['short-and-more', 'short'],
])('R57: of a secret within another one, %s before %s, no part is left', (...secrets) => {
  expect(new Redactor(secrets).quote('short-and-more, short')).toBe('***, ***');
});

test('R56: what a process is given is as secret', () => {
  const transport = {
    type: 'stdio',
    command: 'npx',
    args: ['server', '--api-key', 'argument-secret', '--token=other-secret', 'folder'],
    env: { API_KEY: 'environment-secret', DEBUG: '1' },
    network: { HTTPS_PROXY: 'http://someone:proxy-password@proxy.test', no_proxy: 'localhost' },
    cwd: undefined,
  } as const;
  const redactor = new Redactor(secretsOf({ transport }));
  expect(redactor.quote('argument-secret other-secret environment-secret proxy-password folder 1')).toBe(
    '*** *** *** *** folder 1',
  );
});

test.each([
  ['http://someone:pass-word@proxy.test:3128', 'someone pass-word'],
  ['someone:pass-word@proxy.test:3128', 'someone pass-word'],
  ['http://some%20one:p%40ss%3Aword@proxy.test', 'p%40ss%3Aword p@ss:word some one'],
  ['socks5://someone:100%-word@proxy.test', '100%-word'],
  ['http://someone:a:long:one@proxy.test', 'a:long:one'],
])('the name and the password of a proxy are not shown, however it is written: %s', (proxy, shown) => {
  const transport = {
    type: 'stdio',
    command: 'npx',
    args: [],
    env: {},
    network: { ALL_PROXY: proxy },
  } as const;
  const redactor = new Redactor(secretsOf({ transport: { ...transport, cwd: undefined } }));
  const told = redactor.quote(`${proxy} ${shown}`);
  expect(told.replaceAll('***', '').trim()).toMatch(/^(\w+:\/\/)?@proxy\.test(:3128)?$/);
});

test('texts from outside become one short line without hidden characters', () => {
  const redactor = new Redactor(['secret-one']);
  expect(redactor.quote('a\n\u001b[31mb\u202e  c')).toBe('a [31mb c');
  expect(redactor.quote('x'.repeat(10_000))).toHaveLength(300);
  // A secret that a cut would halve.
  expect(redactor.quote(`${'x'.repeat(295)}secret-one`)).toBe(`${'x'.repeat(295)}***`);
});

test.each([0, 1, 2, 3, 4, 5])(
  'R57: of a secret in base64 behind %i characters, nothing can be decoded',
  (n) => {
    const secret = 'sk-live->>>???-0123456789';
    const redactor = new Redactor([secret]);
    for (const encoding of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(`${'x'.repeat(n)}${secret}:tail`).toString(encoding);
      const told = redactor.quote(`debug: ${encoded} sent`);
      expect(told).toContain('***');
      for (const part of told.split(/[^A-Za-z0-9+/_-]+/)) {
        expect(Buffer.from(part, encoding).toString('latin1')).not.toMatch(/live|0123|6789/);
      }
    }
  },
);
