import { type ProxyError, type Vendor, writeBearer } from './vendor.ts';

/** OpenAI, Azure, and the many compatible servers. */
export const openai = {
  name: 'openai',
  title: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  clientBasePath: '/v1',
  // The last two are Azure's; there, `openai` is not the name of an upstream.
  ownPaths: ['/v1/chat/completions', '/v1/responses', '/openai/deployments', '/openai/responses'],
  sharedPaths: ['/v1'],
  ownHeaders: [],
  // The second is Azure's.
  credentialHeaders: ['authorization', 'api-key'],
  // Source: https://platform.openai.com/docs/guides/realtime-websocket.
  credentialProtocol: 'openai-insecure-api-key.',
  writeCredential: writeBearer,
  errorBody: writeError,
  origins: ['https://api.openai.com'],
  // Bedrock takes bearer keys, like OpenAI, and needs no entry:
  // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html.
  clouds: [
    {
      title: 'Azure',
      host: /\.(openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/,
      // Every route accepts keys in this header; some also accept bearer tokens. Source:
      // https://learn.microsoft.com/azure/ai-foundry/openai/reference#authentication.
      writeCredential: (apiKey) => ['api-key', apiKey],
      pathRoot: 'openai',
      hasLoadModes: true,
    },
  ],
  rejections: [400, 404, 413, 422],
  // Errors for reasoning that does not precede its result, or that was encrypted for another history.
  thinkingRefusal: {
    status: 400,
    words: ["of type 'reasoning'", "required 'reasoning' item", 'invalid_encrypted_content'],
  },
} as const satisfies Vendor;

/** OpenAI's error types by status. */
const TYPE_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
]);

/** Writes an error. The proxy's own code, if any, is more specific than a type for the status. */
function writeError({ status, code, message }: ProxyError): string {
  const named = code === undefined ? TYPE_OF_STATUS.get(status) : undefined;
  const type = named ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return JSON.stringify({ error: { message, type, param: null, code: code ?? null } });
}
