import type { ProxyError, Vendor } from './vendor.ts';

/** Google: Gemini at its own address and on Vertex. */
export const gemini = {
  name: 'gemini',
  title: 'Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  clientBasePath: '',
  // The paths below `/v1` are Vertex's. Methods and headers distinguish clients that call `/v1/models/…` from
  // others.
  // `/upload` takes files: https://ai.google.dev/api/files. `/ws` is the Live API:
  // https://ai.google.dev/api/live.
  ownPaths: ['/v1beta', '/v1alpha', '/v1beta1', '/v1/projects', '/v1/publishers', '/upload', '/ws'],
  sharedPaths: ['/v1'],
  ownPathEnds: [
    ':generateContent',
    ':streamGenerateContent',
    ':countTokens',
    ':embedContent',
    '/interactions',
  ],
  ownHeaders: ['x-goog-api-key', 'x-goog-api-client'],
  credentialHeaders: ['x-goog-api-key', 'authorization'],
  // Source: https://cloud.google.com/apis/docs/system-parameters.
  credentialParameters: ['key', 'access_token'],
  // Resumable uploads: https://ai.google.dev/api/files#method:-media.upload.
  addressHeaders: ['x-goog-upload-url'],
  writeCredential: (apiKey) => ['x-goog-api-key', apiKey],
  errorBody: writeError,
  origins: ['https://generativelanguage.googleapis.com'],
  rejections: [400, 404, 413, 422],
  thinkingRefusal: {
    status: 400,
    words: ['Thought signature', 'thought signature', 'thought_signature', 'thoughtSignature'],
  },
} as const satisfies Vendor;

/** Google's name for each status. Source: https://ai.google.dev/gemini-api/docs/troubleshooting. */
const NAME_OF_STATUS: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

function writeError({ status, message }: ProxyError): string {
  const name = NAME_OF_STATUS.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL');
  return JSON.stringify({ error: { code: status, message, status: name } });
}
