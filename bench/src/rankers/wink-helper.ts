import type { Hit, Ranker, ToolDocument } from '@winnow/ranking';
import createEngine from 'wink-bm25-text-search';
import nlp from 'wink-nlp-utils';
import { parametersText } from './parameters-text.ts';

/** Weights that favour names over texts. */
const WEIGHTS = { name: 4, description: 2, parameters: 1 };

/** Text preparation as in the library's own README (version 3.0.1), with its usual helper library. */
const PREPARATION = [
  nlp.string.lowerCase,
  nlp.string.tokenize0,
  nlp.tokens.removeWords,
  nlp.tokens.stem,
  nlp.tokens.propagateNegations,
];

/**
 * A reference: wink-bm25-text-search with text preparation by its helper library, as people would use it.
 *
 * Breaks the ranker contract on purpose, like the library: `build` throws for fewer than three documents, and
 * names are not split at case changes. The bench counts a throw as a miss.
 */
export const winkHelper: Ranker = {
  name: 'wink-helper',
  build(documents) {
    const engine = createEngine();
    engine.defineConfig({ fldWeights: WEIGHTS });
    engine.definePrepTasks(PREPARATION);
    documents.forEach((document, position) => {
      engine.addDoc(toRecord(document), position);
    });
    engine.consolidate();
    return {
      size: documents.length,
      // Not available from the library; the bench measures the heap.
      bytes: 0,
      async rank(query, { limit }) {
        const hits = engine.search(query, limit).map(toHit);
        return { hits: hits.slice(0, limit), totalMatches: hits.length };
      },
    };
  },
};

function toRecord(document: ToolDocument): Record<string, string> {
  const { name, description } = document;
  return { name, description, parameters: parametersText(document) };
}

/** The library reports the document, not the field. */
function toHit([id, score]: [string, number]): Hit {
  return { position: Number(id), score, matchedOn: [] };
}
