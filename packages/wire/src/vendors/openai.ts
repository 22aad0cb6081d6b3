import type { ProxyError, Vendor } from '../vendor.ts';

/** OpenAI, Azure, and the many servers that are compatible with it. */
export const openai = {
  name: 'openai',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  clientBasePath: '/v1',
  // Azure's paths begin with `openai`, which is no upstream's name there.
  ownPaths: ['/v1/chat/completions', '/openai/deployments'],
  sharedPaths: ['/v1'],
  ownHeaders: [],
  // The second is Azure's, the third Google's.
  credentialHeaders: ['authorization', 'api-key', 'x-goog-api-key'],
  writeCredential: (apiKey) => ['authorization', `Bearer ${apiKey}`],
  errorBody: writeError,
  origins: ['https://api.openai.com'],
  rejections: [400, 404, 413, 422],
  thinkingRefusal: undefined,
} as const satisfies Vendor;

/** Types of errors, as OpenAI names them by status. */
const TYPE_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
]);

/** Where the proxy has a word of its own for an error, that word tells more than the type. */
function writeError({ status, code, message }: ProxyError): string {
  const named = code === undefined ? TYPE_OF_STATUS.get(status) : undefined;
  const type = named ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return JSON.stringify({ error: { message, type, param: null, code: code ?? null } });
}
