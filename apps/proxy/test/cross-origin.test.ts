import { expect, test } from 'vitest';
import { ClientAccess, isPreflight, preflightHeaders, readableBy } from '../src/edge/client-access.ts';

const access = (rules = {}) =>
  new ClientAccess({ tokens: [], allowedHosts: [], allowedOrigins: ['https://chat.example'], ...rules });
const pageOf = (origin: string | undefined, guard: 'none' | 'key' | 'neighbour', rules = {}) =>
  access(rules).pageOf({ headers: { origin }, guard });

test('a listed page may read responses, spelled as it spells itself', () => {
  expect(pageOf('https://chat.example', 'key')).toEqual({ allowed: 'https://chat.example' });
  expect(pageOf('https://Chat.example', 'none')).toEqual({ allowed: 'https://Chat.example' });
});

test('a page of this machine may read the responses of a server on it', () => {
  expect(pageOf('http://localhost:3000', 'neighbour')).toEqual({ allowed: 'http://localhost:3000' });
  expect(pageOf('http://localhost:3000', 'key')).toEqual({ allowed: undefined });
});

test('another page may read nothing, except what its own key pays for, as the upstream says', () => {
  expect(pageOf('https://evil.example', 'key')).toEqual({ allowed: undefined });
  expect(pageOf('https://evil.example', 'none', { tokens: ['t'] })).toEqual({ allowed: undefined });
  expect(pageOf('https://evil.example', 'none')).toBeUndefined();
  expect(pageOf(undefined, 'key')).toBeUndefined();
});

const UPSTREAM = ['Access-Control-Allow-Origin', '*', 'x-request-id', 'r', 'Retry-After', '1'];

test("an allowed page reads every header, and the upstream's permission gives way", () => {
  expect(readableBy({ allowed: 'https://chat.example' }, UPSTREAM)).toEqual([
    ...['x-request-id', 'r', 'Retry-After', '1'],
    ...['access-control-allow-origin', 'https://chat.example'],
    ...['access-control-allow-credentials', 'true'],
    ...['access-control-expose-headers', 'x-request-id, retry-after'],
    ...['vary', 'origin'],
  ]);
  expect(readableBy({ allowed: undefined }, UPSTREAM)).toEqual(['x-request-id', 'r', 'Retry-After', '1']);
});

test('a preflight is allowed what it asks for', () => {
  const asked = [
    'access-control-request-method',
    'POST',
    'Access-Control-Request-Headers',
    'x-api-key,x-stainless-os',
  ];
  const headers = preflightHeaders(asked);
  expect(headers.slice(0, 4)).toEqual([
    ...['access-control-allow-methods', 'POST'],
    ...['access-control-allow-headers', 'x-api-key,x-stainless-os'],
  ]);
  expect(isPreflight('OPTIONS', { 'access-control-request-method': 'POST' })).toBe(true);
  expect(isPreflight('OPTIONS', {})).toBe(false);
  expect(isPreflight('POST', { 'access-control-request-method': 'POST' })).toBe(false);
});
