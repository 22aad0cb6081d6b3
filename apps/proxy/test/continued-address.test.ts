import { vendorNamed } from '@winnow/wire';
import { expect, test } from 'vitest';
import { withOwnAddresses } from '../src/exchange/forward-untouched.ts';

const key = { kind: 'header', name: 'x-goog-api-key', value: 'operators' } as const;
const upstream = {
  name: 'google',
  vendor: vendorNamed('gemini'),
  auth: key,
  origin: 'https://files.example',
};
const rewrite = (value: string, asked = {}, more = {}, isSecure = false) =>
  withOwnAddresses(
    ['X-Goog-Upload-URL', value, 'location', value],
    { headers: { host: 'proxy:8787', ...asked }, isSecure },
    { upstream: { ...upstream, ...more } as never },
  )[1];

const ADDRESS = 'https://files.example/upload/v1/files?upload_id=1';

test('names the proxy as its client does, with TLS and behind a balancer with TLS as well', () => {
  expect(rewrite(ADDRESS)).toBe('http://proxy:8787/google/upload/v1/files?upload_id=1');
  expect(rewrite(ADDRESS, { 'x-forwarded-proto': 'https' })).toMatch(/^https:\/\/proxy:8787\//);
  expect(rewrite(ADDRESS, {}, {}, true)).toMatch(/^https:\/\/proxy:8787\//);
});

test("removes the operator's key from the address", () => {
  expect(rewrite(`${ADDRESS}&key=operators&access_token=operators`)).not.toContain('operators');
  expect(rewrite(`${ADDRESS}&k=operators`, {}, { auth: { ...key, kind: 'query', name: 'k' } })).not.toContain(
    'operators',
  );
});

test('leaves other addresses, other headers and clients with a key of their own alone', () => {
  expect(rewrite('https://elsewhere.example/upload')).toBe('https://elsewhere.example/upload');
  expect(rewrite('not an address')).toBe('not an address');
  expect(rewrite(ADDRESS, {}, { auth: { kind: 'forward' } })).toBe(ADDRESS);
  expect(rewrite(ADDRESS, {}, { vendor: vendorNamed('openai') })).toBe(ADDRESS);
  expect(rewrite(ADDRESS, { host: undefined })).toBe(ADDRESS);
});
