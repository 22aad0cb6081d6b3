import { type ProxyError, type Vendor, writeBearer } from './vendor.ts';

/** Ollama, on a local machine or in its cloud. */
export const ollama = {
  name: 'ollama',
  title: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434',
  clientBasePath: '',
  ownPaths: pathsOf('chat generate embed embeddings tags ps show version pull push create copy delete blobs'),
  ownHeaders: [],
  credentialHeaders: ['authorization'],
  writeCredential: writeBearer,
  errorBody: writeError,
  origins: ['http://127.0.0.1:11434', 'http://localhost:11434', 'https://ollama.com'],
  rejections: [400, 404, 413, 422],
  thinkingRefusal: undefined,
} as const satisfies Vendor;

/** Source: https://github.com/ollama/ollama/blob/main/docs/api.md. */
function pathsOf(routes: string): string[] {
  return routes.split(' ').map((route) => `/api/${route}`);
}

/** Writes one sentence, because its clients read no more. */
function writeError({ message }: ProxyError): string {
  return JSON.stringify({ error: message });
}
