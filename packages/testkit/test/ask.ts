import { onTestFinished } from 'vitest';
import { startUpstream, type Upstream, type UpstreamOptions } from '../src/upstream/start-upstream.ts';

/** Starts an upstream that is closed when the test ends. */
export async function start(options: UpstreamOptions = {}): Promise<Upstream> {
  const upstream = await startUpstream(options);
  onTestFinished(() => upstream.close());
  return upstream;
}

/** Headers that both providers accept. */
export const HEADERS = {
  'content-type': 'application/json',
  authorization: 'Bearer test',
  'anthropic-version': '2023-06-01',
};

/** Posts a Chat request. */
export function askChat(upstream: Upstream, body: object = {}, init: RequestInit = {}): Promise<Response> {
  const whole = { model: 'gpt-test', messages: [{ role: 'user', content: 'Hello' }], ...body };
  return post(`${upstream.url}/v1/chat/completions`, whole, init);
}

/** Posts a Messages request. */
export function askMessages(
  upstream: Upstream,
  body: object = {},
  init: RequestInit = {},
): Promise<Response> {
  const whole = {
    model: 'claude-test',
    max_tokens: 2048,
    messages: [{ role: 'user', content: 'Hello' }],
    ...body,
  };
  return post(`${upstream.url}/v1/messages`, whole, init);
}

/** Reads a body chunk by chunk, as the network layer hands it out. */
export async function readChunks(response: Response): Promise<string[]> {
  const chunks: string[] = [];
  if (response.body === null) return chunks;
  for await (const chunk of response.body) chunks.push(Buffer.from(chunk).toString('latin1'));
  return chunks;
}

function post(url: string, body: object, init: RequestInit): Promise<Response> {
  return fetch(url, { method: 'POST', headers: HEADERS, body: JSON.stringify(body), ...init });
}
