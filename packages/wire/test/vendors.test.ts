import { describe, expect, test } from 'vitest';
import { CREDENTIAL_HEADERS, nearestVendor, VENDORS, vendorNamed, vendorOf } from '../src/index.ts';

const hasNone = () => undefined;
const has = (header: string) => (name: string) => (name === header ? '' : undefined);

describe.each(VENDORS)('the vendor $name', (vendor) => {
  test('has a name that can begin a path, and no path of another', () => {
    expect(vendor.name).toMatch(/^[a-z][a-z0-9-]*$/);
    const others = VENDORS.filter((other) => other !== vendor).flatMap(({ ownPaths }) => ownPaths);
    expect(vendor.ownPaths.filter((path) => others.includes(path))).toEqual([]);
  });

  test('is at one of its origins', () => {
    expect(vendor.origins).toContain(new URL(vendor.baseUrl).origin);
  });

  test("sends an operator's key in a header that it knows for a credential's, in which nothing else stands", () => {
    const [name, value] = vendor.writeCredential('key-1');
    expect(vendor.credentialHeaders).toContain(name);
    expect(value).toMatch(/^(\w+ )?key-1$/);
    expect(CREDENTIAL_HEADERS).toContain(name);
  });

  test.each([400, 401, 404, 413, 426, 429, 500, 502, 503])('words an error with status %i', (status) => {
    for (const code of [undefined, 'draining', 'body_too_large']) {
      const body = JSON.parse(vendor.errorBody({ status, code, message: 'No "such" upstream.' })) as unknown;
      expect(body).toMatchObject({
        error: { message: 'No "such" upstream.', type: expect.stringMatching(/^[a-z_]+$/) },
      });
    }
  });
});

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [422, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [502, 'api_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])('words an error of status %i as Anthropic does: %s', (status, type) => {
  const body = vendorNamed('anthropic').errorBody({ status, message: 'No "such" thing' });
  expect(JSON.parse(body)).toEqual({ type: 'error', error: { type, message: 'No "such" thing' } });
});

test('tells clients of Anthropic that are sent away before the end to come back', () => {
  const body = vendorNamed('anthropic').errorBody({ status: 503, code: 'draining', message: 'Bye.' });
  expect(JSON.parse(body)).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'Bye.' } });
});

test.each([
  [401, undefined, { type: 'authentication_error', code: null }],
  [404, undefined, { type: 'not_found_error', code: null }],
  [404, 'no_upstream', { type: 'invalid_request_error', code: 'no_upstream' }],
  [503, 'draining', { type: 'server_error', code: 'draining' }],
])('words an error of status %i and code %s as OpenAI does', (status, code, expected) => {
  const body = vendorNamed('openai').errorBody({ status, code, message: 'No.' });
  expect(JSON.parse(body)).toEqual({ error: { message: 'No.', param: null, ...expected } });
});

test.each([
  ['/v1/messages/count_tokens', hasNone, 'anthropic'],
  ['/v1/messagesx', hasNone, 'openai'],
  ['/v1/chat/completions', has('anthropic-version'), 'openai'],
  ['/openai/deployments/d/chat/completions', hasNone, 'openai'],
  ['/v1/models', has('anthropic-version'), 'anthropic'],
  ['/v1/models', hasNone, 'openai'],
  ['/v1/models', (name: string) => (name === 'x-api-key' ? 'sk-ant-1' : undefined), 'anthropic'],
  ['/v1/models', (name: string) => (name === 'authorization' ? 'Bearer sk-ant-1' : undefined), 'anthropic'],
  ['/else', has('anthropic-version'), undefined],
])(
  'a request for %s goes to the vendor whose path it is, else by its headers and key',
  (path, header, expected) => {
    expect(vendorOf({ path, header })?.name).toBe(expected);
  },
);

test('an error without an upstream has the shape that a header or any part of the path speaks for', () => {
  expect(nearestVendor({ path: '/else/v1/messages?beta=true', header: hasNone }).name).toBe('anthropic');
  expect(nearestVendor({ path: '/x', header: has('anthropic-version') }).name).toBe('anthropic');
  expect(nearestVendor({ path: '', header: hasNone }).name).toBe('openai');
});
