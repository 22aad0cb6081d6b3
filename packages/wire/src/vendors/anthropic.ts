import { type ProxyError, type Vendor, writeBearer } from './vendor.ts';

/** Anthropic, and the servers with its Messages API. */
export const anthropic = {
  name: 'anthropic',
  title: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  clientBasePath: '',
  ownPaths: ['/v1/messages'],
  sharedPaths: ['/v1'],
  keyPrefixes: ['sk-ant-'],
  ownHeaders: ['anthropic-version'],
  credentialHeaders: ['authorization', 'x-api-key'],
  writeCredential: (apiKey) => ['x-api-key', apiKey],
  errorBody: writeError,
  origins: ['https://api.anthropic.com'],
  // Foundry takes the same header as the vendor, and needs no entry.
  clouds: [
    {
      title: 'Bedrock',
      host: /^bedrock-(mantle\.[a-z0-9-]+\.api\.aws|runtime\.[a-z0-9-]+\.amazonaws\.com)$/,
      writeCredential: writeBearer,
    },
    {
      title: 'Vertex',
      host: /(^|[.-])aiplatform\.([a-z]+\.rep\.)?googleapis\.com$/,
      writeCredential: writeBearer,
    },
  ],
  rejections: [400, 404, 413, 422],
  thinkingRefusal: { status: 400, words: ['thinking'] },
} as const satisfies Vendor;

/**
 * The vendor's error type for each status that it documents. Source: https://docs.claude.com/en/api/errors.
 */
const TYPE_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/** A request to a proxy that is stopping is worth a quick retry, which clients read from this type. */
const TYPE_OF_CODE: ReadonlyMap<string, string> = new Map([['draining', 'overloaded_error']]);

function writeError({ status, code = '', message }: ProxyError): string {
  const named = TYPE_OF_CODE.get(code) ?? TYPE_OF_STATUS.get(status);
  const type = named ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return JSON.stringify({ type: 'error', error: { type, message } });
}
