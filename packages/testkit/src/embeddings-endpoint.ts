import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An endpoint with OpenAI's embeddings API that knows the meaning of a few words. */
export interface EmbeddingsEndpoint {
  /** The value for the setting `embedder.address`. */
  readonly address: string;
  /** All texts that were requested, in order. */
  readonly asked: readonly string[];
  /** Sets the behaviour for later requests. */
  behave(behaviour: 'well' | 'error' | 'hang' | 'lie' | 'short'): void;
  close(): void;
}

/** The members of a request that the endpoint reads. */
export const EMBEDDINGS_KEY = 'endpoint-key';
const MODEL = 'test-model';

/** Directions by topic: money, weather, anything else. */
const MEANINGS: readonly [RegExp, readonly number[]][] = [
  [/transfer|pay|cash/i, [1, 0, 0]],
  [/river|weather/i, [0, 1, 0]],
];

export async function startEmbeddingsEndpoint(): Promise<EmbeddingsEndpoint> {
  const asked: string[] = [];
  let behaviour = 'well';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const refuse = (status: number) => response.writeHead(status).end('{"error":{"message":"no"}}');
    if (request.method !== 'POST' || request.url !== '/v1/embeddings') return refuse(404);
    if (request.headers.authorization !== `Bearer ${EMBEDDINGS_KEY}`) return refuse(401);
    const { model, input } = JSON.parse(body) as { model: string; input: string[] };
    if (model !== MODEL) return refuse(404);
    if (input.length === 0 || input.some((text) => text === '')) return refuse(400);
    asked.push(...input);
    if (behaviour === 'hang') return undefined;
    if (behaviour === 'error') return refuse(500);
    const vectors = input.map((text) => MEANINGS.find(([about]) => about.test(text))?.[1] ?? [0, 0, 1]);
    const told = behaviour === 'lie' ? vectors.map(() => [1, 'two', null]) : vectors;
    const data = told.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse();
    if (behaviour === 'short') data.pop();
    return response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ object: 'list', data, model, usage: { prompt_tokens: 1, total_tokens: 1 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/v1#${MODEL}`,
    asked,
    behave(next) {
      behaviour = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
