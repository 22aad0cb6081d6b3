import { type Embedder, PatientMeanings } from '@winnow/embeddings';
import { buildCatalogueOf, meaningText, noPause, selectTools } from '@winnow/ranking';
import { median } from '../summarize-times.ts';
import { documentOf } from './measure-set.ts';
import type { RetrievalSet } from './read-sets.ts';

/** Maximum number of queries, taken evenly from a mixture's queries, which are ordered by set. */
const QUERIES = 200;

/**
 * Returns the CPU milliseconds of all threads for a whole search with meaning: the median of many. The
 * vectors of tools are known, the query's is not. CPU time shows the cost on one free core, whatever the load
 * of the machine.
 */
export async function measureMeaning(
  set: RetrievalSet,
  embedder: Embedder,
  vectors: ReadonlyMap<string, Int8Array>,
): Promise<number> {
  const documents = set.tools.map(documentOf);
  const catalogue = buildCatalogueOf(documents);
  const step = Math.ceil(set.queries.length / QUERIES);
  const queries = set.queries.filter((_, at) => at % step === 0);
  const known = new Map(vectors);
  await new PatientMeanings(embedder, known).learn(documents.map(meaningText));
  const times: number[] = [];
  // Kept as long as the catalogue, as in services.
  const meaning = new PatientMeanings(embedder, known).source(documents.length, (position) =>
    meaningText(documents[position]!),
  );
  for (const [at, { text }] of queries.entries()) {
    // The suffix makes each query new, so that its vector is not known.
    const pattern = `${text} ${at}`;
    const before = process.cpuUsage();
    await selectTools(catalogue, { pattern, topK: 5, alwaysKeep: [], searchType: 'auto', meaning }, noPause);
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return median(times)!;
}
