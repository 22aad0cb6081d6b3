import { type Embedder, PatientMeanings } from '@winnow/embeddings';
import { buildCatalogueOf, meaningText, noPause, RANKERS, selectTools } from '@winnow/ranking';
import { median } from '../summarize-times.ts';
import { documentOf } from './measure-set.ts';
import type { RetrievalSet } from './read-sets.ts';

/** At most, taken evenly from a mixture's queries, which stand set by set. */
const QUERIES = 200;

/**
 * Milliseconds of CPU, on all threads together, for a whole search with meaning: the median of many. The vectors of tools are known, and that of the
 * query is not. By CPU, so that it says what one free core takes, whatever else the machine has to do.
 */
export async function measureMeaning(
  set: RetrievalSet,
  embedder: Embedder,
  vectors: ReadonlyMap<string, Int8Array>,
): Promise<number> {
  const documents = set.tools.map(documentOf);
  const catalogue = buildCatalogueOf(documents, RANKERS.bm25);
  const step = Math.ceil(set.queries.length / QUERIES);
  const queries = set.queries.filter((_, at) => at % step === 0);
  const known = new Map(vectors);
  await new PatientMeanings(embedder, known).learn(documents.map(meaningText));
  const times: number[] = [];
  // Kept for as long as the catalogue is, as services do.
  const meaning = new PatientMeanings(embedder, known).source(documents.length, (position) =>
    meaningText(documents[position]!),
  );
  for (const [at, { text }] of queries.entries()) {
    // A vector that is known under another text only: each query is new.
    const pattern = `${text} ${at}`;
    const before = process.cpuUsage();
    await selectTools(catalogue, { pattern, topK: 5, alwaysKeep: [], searchType: 'auto', meaning }, noPause);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return median(times)!;
}
