import { describe, expect, test } from 'vitest';
import {
  CREDENTIAL_HEADERS,
  cloudOf,
  documentsLoadModes,
  nearestVendor,
  PATH_ROOTS,
  VENDORS,
  type VendorName,
  vendorNamed,
  vendorOf,
} from '../src/index.ts';

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
      expect(body).toHaveProperty(vendor.name === 'bedrock' ? '__type' : 'error');
      expect(JSON.stringify(body)).toContain('No \\"such\\" upstream.');
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
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [413, 'INVALID_ARGUMENT'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [502, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])('words an error of status %i as Google does: %s', (status, name) => {
  const body = vendorNamed('gemini').errorBody({ status, code: 'no_upstream', message: 'No.' });
  expect(JSON.parse(body)).toEqual({ error: { code: status, message: 'No.', status: name } });
});

test.each([
  [400, 'ValidationException'],
  [403, 'AccessDeniedException'],
  [404, 'ResourceNotFoundException'],
  [413, 'ValidationException'],
  [429, 'ThrottlingException'],
  [502, 'InternalServerException'],
  [503, 'ServiceUnavailableException'],
])('words an error of status %i as Bedrock does: %s', (status, type) => {
  const body = vendorNamed('bedrock').errorBody({ status, code: 'no_upstream', message: 'No.' });
  expect(JSON.parse(body)).toEqual({ __type: type, message: 'No.' });
});

test('words an error as Ollama does', () => {
  const body = vendorNamed('ollama').errorBody({ status: 404, code: 'no_upstream', message: 'No.' });
  expect(JSON.parse(body)).toEqual({ error: 'No.' });
});

describe('clouds', () => {
  const keyAt = (vendor: VendorName, origin: string) => {
    const known = vendorNamed(vendor);
    return (cloudOf(known, origin)?.writeCredential ?? known.writeCredential)('key-1');
  };

  test.each([
    ['openai', 'https://one.openai.azure.com', ['api-key', 'key-1']],
    ['openai', 'https://one.services.ai.azure.com', ['api-key', 'key-1']],
    ['openai', 'https://one.cognitiveservices.azure.com', ['api-key', 'key-1']],
    ['openai', 'https://openai.azure.com.evil.example', ['authorization', 'Bearer key-1']],
    // Plain HTTP does not prove the server's identity.
    ['openai', 'http://one.openai.azure.com', ['authorization', 'Bearer key-1']],
    ['openai', 'https://bedrock-runtime.us-east-1.amazonaws.com', ['authorization', 'Bearer key-1']],
    ['openai', 'https://bedrock-mantle.us-east-1.api.aws', ['authorization', 'Bearer key-1']],
    ['anthropic', 'https://bedrock-mantle.us-east-1.api.aws', ['authorization', 'Bearer key-1']],
    ['anthropic', 'https://bedrock-mantle.evil.example', ['x-api-key', 'key-1']],
    ['anthropic', 'https://us-east5-aiplatform.googleapis.com', ['authorization', 'Bearer key-1']],
    ['anthropic', 'https://aiplatform.googleapis.com', ['authorization', 'Bearer key-1']],
    ['anthropic', 'https://aiplatform.eu.rep.googleapis.com', ['authorization', 'Bearer key-1']],
    ['anthropic', 'https://one.services.ai.azure.com', ['x-api-key', 'key-1']],
    ['gemini', 'https://us-central1-aiplatform.googleapis.com', ['x-goog-api-key', 'key-1']],
  ] as const)("a key goes as %s's to %s", (vendor, origin, expected) => {
    expect(keyAt(vendor, origin)).toEqual(expected);
  });

  test.each([
    ['openai', 'https://api.openai.com', true],
    ['openai', 'https://one.openai.azure.com', true],
    ['openai', 'https://one.services.ai.azure.com', true],
    ['openai', 'https://bedrock-runtime.us-east-1.amazonaws.com', false],
    ['openai', 'http://127.0.0.1:8000', false],
    ['anthropic', 'https://api.anthropic.com', true],
    ['anthropic', 'https://bedrock-mantle.us-east-1.api.aws', false],
    ['anthropic', 'https://us-east5-aiplatform.googleapis.com', false],
    ['anthropic', 'https://one.services.ai.azure.com', false],
  ] as const)("whether %s's load modes are documented for %s: %s", (vendor, origin, expected) => {
    expect(documentsLoadModes(vendorNamed(vendor), origin)).toBe(expected);
  });
});

test('roots of paths are no names of upstreams, but for those of the vendors themselves', () => {
  expect(PATH_ROOTS).toEqual(['v1', 'v1beta', 'v1alpha', 'v1beta1', 'upload', 'ws', 'api', 'model']);
});

test.each([
  ['/v1/messages/count_tokens', hasNone, 'anthropic'],
  ['/v1/messagesx', hasNone, 'openai'],
  ['/v1/chat/completions', has('anthropic-version'), 'openai'],
  ['/openai/deployments/d/chat/completions', hasNone, 'openai'],
  ['/v1/models', has('anthropic-version'), 'anthropic'],
  ['/v1/models', hasNone, 'openai'],
  ['/v1/responses', has('anthropic-version'), 'openai'],
  ['/openai/responses', hasNone, 'openai'],
  ['/v1beta/models/m:generateContent', hasNone, 'gemini'],
  ['/v1alpha/models/m:generateContent', hasNone, 'gemini'],
  ['/v1/models/m:generateContent', has('x-goog-api-key'), 'gemini'],
  // The key of such a client may be in the query.
  ['/v1/models/m:streamGenerateContent', hasNone, 'gemini'],
  ['/v1/projects/p/locations/l/publishers/google/models/m:generateContent', hasNone, 'gemini'],
  ['/api/chat', hasNone, 'ollama'],
  ['/api/tags', hasNone, 'ollama'],
  ['/api/v1/chat', hasNone, undefined],
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
