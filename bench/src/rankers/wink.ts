import type { Hit, Ranker, RankerIndex, ToolDocument } from '@winnow/ranking';
import createEngine, { type WinkEngine } from 'wink-bm25-text-search';
import nlp from 'wink-nlp-utils';
import { parametersText } from './parameters-text.ts';

/** Weights that favour names over texts, as the ranker `wink` has them. */
const WEIGHTS = { name: 4, description: 2, parameters: 1 };

/** Text preparation as the library's own README (version 3.0.1) shows it, with its usual helper library. */
const PREPARATION = [
  nlp.string.lowerCase,
  nlp.string.tokenize0,
  nlp.tokens.removeWords,
  nlp.tokens.stem,
  nlp.tokens.propagateNegations,
];

/**
 * wink-bm25-text-search the way one would use it without us: its helper library prepares the text. A yardstick.
 *
 * Breaks the ranker contract on purpose, as the library does: `build` throws under three documents, and names are not
 * split at humps. The bench counts a throw as a miss.
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
    return toIndex(engine, documents.length);
  },
};

function toIndex(engine: WinkEngine, size: number): RankerIndex {
  return {
    size,
    // Not known from inside; the bench measures the heap from outside.
    bytes: 0,
    async rank(query, { limit }) {
      const hits = engine.search(query, limit).map(toHit);
      return { hits, totalMatches: hits.length };
    },
  };
}

function toRecord(document: ToolDocument): Record<string, string> {
  const { name, description } = document;
  return { name, description, parameters: parametersText(document) };
}

/** The library says which document, not which field. */
function toHit([id, score]: [string, number]): Hit {
  return { position: Number(id), score, matchedOn: [] };
}
