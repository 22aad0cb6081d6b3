import type { ProxyError, Vendor } from './vendor.ts';
import { writeBearer } from './write-bearer.ts';

/** OpenAI, Azure, and the many servers that are compatible with it. */
export const openai = {
  name: 'openai',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  clientBasePath: '/v1',
  // The last two are Azure's, where `openai` is no upstream's name.
  ownPaths: ['/v1/chat/completions', '/v1/responses', '/openai/deployments', '/openai/responses'],
  sharedPaths: ['/v1'],
  ownHeaders: [],
  // The second is Azure's.
  credentialHeaders: ['authorization', 'api-key'],
  writeCredential: writeBearer,
  errorBody: writeError,
  origins: ['https://api.openai.com'],
  // Bedrock takes bearer keys, as OpenAI does, and needs no entry: https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html.
  clouds: [
    {
      title: 'Azure',
      host: /\.(openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/,
      // Keys are taken in this header on every route, and as a bearer token on some.
      // Source: https://learn.microsoft.com/azure/ai-foundry/openai/reference#authentication.
      writeCredential: (apiKey) => ['api-key', apiKey],
      pathRoot: 'openai',
      hasLoadModes: true,
    },
  ],
  rejections: [400, 404, 413, 422],
  // Reasoning that is not in front of what it led to, or that was encrypted for another history.
  thinkingRefusal: {
    status: 400,
    words: ["of type 'reasoning'", "required 'reasoning' item", 'invalid_encrypted_content'],
  },
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
