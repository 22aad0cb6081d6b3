import { parseJson, readText } from '@winnow/core';
import { type HttpPool, openHttpPool } from '@winnow/service';
import { z } from 'zod';
import { type Embedder, EmbeddingError } from './embedder.ts';
import type { EmbedderAddress } from './embedder-settings.ts';

/** Two megabytes of JSON with the larger models; more would block the thread that parses it. */
const BATCH = 32;

/** Enough for 32 vectors of 8,192 numbers with all their digits. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Maximum number of connections, shared by searches and background learning. */
const CONNECTIONS = 4;

/** Only the outer shape; the caller checks every number. */
const Response = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.unknown()) })),
});

/** Statuses caused by the request itself. */
const REFUSALS = [400, 401, 403, 404, 413, 422];

interface EndpointOptions {
  readonly key: string;
  readonly agent?: Pick<HttpPool, 'request'>;
}

/**
 * Opens an endpoint that speaks the embeddings API of OpenAI, as vLLM, Ollama, text-embeddings-inference and
 * others do.
 *
 * Source: https://platform.openai.com/docs/api-reference/embeddings/create
 */
export function openEndpoint(
  { url, model }: Extract<EmbedderAddress, { kind: 'endpoint' }>,
  { key, agent }: EndpointOptions,
): Embedder {
  const own = agent === undefined ? openHttpPool({ connections: CONNECTIONS }) : undefined;
  const connections = agent ?? own!;
  const path = `${url.pathname.replace(/\/(embeddings)?\/?$/, '')}/embeddings${url.search}`;
  return {
    batchSize: BATCH,
    async embed(texts, { signal }) {
      const response = await connections
        .request({
          origin: url.origin,
          path,
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            ...(key !== '' && { authorization: `Bearer ${key}` }),
          },
          body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
          signal,
        })
        .catch((error) => fail(error, signal));
      const { statusCode, body } = response;
      if (statusCode !== 200) {
        body.on('error', () => {}).destroy();
        throw new EmbeddingError(
          REFUSALS.includes(statusCode) ? 'refused' : 'unavailable',
          `the endpoint responded with ${statusCode}`,
        );
      }
      const text = await readText(body, { maxBytes: MAX_BODY_BYTES }).catch((error) => fail(error, signal));
      if (text === undefined) throw new EmbeddingError('invalid_response', 'the response is too large');
      return inOrder(text, texts.length);
    },
    async close() {
      await own?.destroy();
    },
  };
}

function fail(error: unknown, signal: AbortSignal): never {
  throw new EmbeddingError(signal.aborted ? 'slow' : 'unreachable', undefined, { cause: error });
}

function inOrder(text: string, count: number): readonly unknown[][] {
  const { success, data: response } = Response.safeParse(parseJson(text));
  if (!success) throw new EmbeddingError('invalid_response', 'the response has an unexpected form');
  const vectors = new Map(response.data.map(({ index, embedding }) => [index, embedding]));
  if (vectors.size !== count || response.data.length !== count)
    throw new EmbeddingError('invalid_response', 'there are not as many vectors as texts');
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) throw new EmbeddingError('invalid_response', 'a vector is missing');
    return vector;
  });
}
