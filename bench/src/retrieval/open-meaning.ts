import { EmbeddingError, openEmbedder, PatientMeanings } from '@winnow/embeddings';
import { meaningText } from '@winnow/ranking';
import { InputError } from '../input-error.ts';
import { readVectors, writeVectors } from './kept-vectors.ts';
import { measureMeaning } from './measure-meaning.ts';
import { documentOf } from './measure-set.ts';
import type { RetrievalSet } from './read-sets.ts';

/** The set whose searches are timed. */
const TIMED = 'mixed-2000-1';

/**
 * Opens the embedder that the command line names, for a run with meaning; the key of an endpoint is in
 * EMBEDDER_KEY.
 */
export function openMeaning({
  embedder: address = '',
  vectors: file,
}: {
  readonly embedder?: string;
  readonly vectors?: string;
}) {
  const embedder = open(address);
  const vectors = readVectors(file);
  const meanings = new PatientMeanings(embedder, vectors);
  return {
    meanings,
    /** Computes the vectors of all tools, so that timed searches do not include them. */
    learn: (sets: readonly RetrievalSet[]) =>
      meanings.learn(sets.flatMap(({ tools }) => tools.map((tool) => meaningText(documentOf(tool))))),
    async searchMs(sets: readonly RetrievalSet[]): Promise<number | undefined> {
      const timed = sets.find(({ name }) => name === TIMED);
      return timed && measureMeaning(timed, embedder, vectors);
    },
    async close(): Promise<void> {
      if (file !== undefined) writeVectors(file, vectors);
      await embedder.close();
    },
  };
}

function open(address: string) {
  try {
    return openEmbedder(address, { key: process.env.EMBEDDER_KEY ?? '' });
  } catch (error) {
    if (error instanceof EmbeddingError) throw new InputError(`--embedder: ${error.message}`);
    throw error;
  }
}
