import {
  EMBEDDINGS_KEY,
  type EmbeddingsEndpoint,
  startEmbeddingsEndpoint as startEndpoint,
} from '@winnow/testkit';
import { onTestFinished } from 'vitest';

export const KEY = EMBEDDINGS_KEY;

/** An endpoint that is closed when the test ends. */
export async function startEmbeddingsEndpoint(): Promise<EmbeddingsEndpoint> {
  const endpoint = await startEndpoint();
  onTestFinished(() => endpoint.close());
  return endpoint;
}
