import { expect, test } from 'vitest';
import { isSignedWith, signHeaders } from '../../src/upstream/signing.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
const NOW = Date.parse('2026-11-22T10:00:00Z');
const request = {
  method: 'POST',
  path: '/model/m%3A0/converse?a=b',
  host: 'proxy:8787',
  headers: ['content-type', 'application/json'],
};

function signed(): string[] {
  const headers = signHeaders(
    { ...request, bodyHash: '0'.repeat(64) },
    { credentials, region: 'us-east-1', service: 'bedrock', now: NOW },
  );
  return ['host', request.host, ...headers];
}

const verify = (headers: string[], { now = NOW, path = request.path, other = credentials } = {}) =>
  isSignedWith({ method: 'POST', path, headers }, other, now);
const change = (name: string, value: string | undefined) => {
  const headers = signed();
  const at = headers.indexOf(name);
  if (value === undefined) headers.splice(at, 2);
  else headers[at + 1] = value;
  return headers;
};

test('recognises a client that knows the secret', () => {
  expect(verify(signed())).toBe(true);
  expect(verify(signed(), { now: NOW + 14 * 60_000 })).toBe(true);
});

test.each([
  ['another secret', () => verify(signed(), { other: { ...credentials, secretAccessKey: 'other' } })],
  ['another id', () => verify(signed(), { other: { ...credentials, accessKeyId: 'OTHER' } })],
  ['another path', () => verify(signed(), { path: '/model/other/converse' })],
  ['another host', () => verify(change('host', 'elsewhere'))],
  ['another type', () => verify(change('content-type', 'text/plain'))],
  ['a wrong clock', () => verify(signed(), { now: NOW + 16 * 60_000 })],
  ['an invalid date', () => verify(change('x-amz-date', 'soon'))],
  ['no hash of its body', () => verify(change('x-amz-content-sha256', undefined))],
  ['no signature', () => verify(change('authorization', undefined))],
  ['a bearer token', () => verify(change('authorization', 'Bearer x'))],
  [
    'a signature without the host',
    () => verify(change('authorization', signed().at(-1)!.replace('host;', ''))),
  ],
])('does not recognise one with %s', (_, attempt) => {
  expect(attempt()).toBe(false);
});

test("replaces a client's signature, and sends none of its signature headers", () => {
  const clients = [
    'authorization',
    'AWS4-HMAC-SHA256 old',
    'X-Amz-Date',
    'old',
    'x-amz-security-token',
    'old',
    'amz-sdk-request',
    'attempt=1',
    'accept',
    '*/*',
  ];
  const token = { ...credentials, sessionToken: 'token' };
  const headers = signHeaders(
    { ...request, headers: clients, bodyHash: '0'.repeat(64) },
    { credentials: token, region: 'us-east-1', service: 'bedrock', now: NOW },
  );
  expect(headers.join()).not.toContain('old');
  expect(headers.slice(0, 8)).toEqual([
    'accept',
    '*/*',
    'x-amz-date',
    '20261122T100000Z',
    'x-amz-content-sha256',
    '0'.repeat(64),
    'x-amz-security-token',
    'token',
  ]);
  expect(headers).not.toContain('amz-sdk-request');
});
