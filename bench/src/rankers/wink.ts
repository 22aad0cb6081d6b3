import {
  type Hit,
  type Ranker,
  type RankerIndex,
  type ToolDocument,
  tokenize,
  tokenizeQuery,
} from '@winnow/ranking';
import createEngine from 'wink-bm25-text-search';
import nlp from 'wink-nlp-utils';
import { parametersText } from './parameters-text.ts';

/** Weights that favour names over texts. */
const WEIGHTS = { name: 4, description: 2, parameters: 1 };

/** The library throws for fewer documents. Documents without tokens fill up; no search finds them. */
const MIN_DOCUMENTS = 3;

/** Maximum precision of the library. With its default of 4, different scores become ties. */
const SCORE_DECIMALS = 9;

const NO_TOKENS = { name: [], description: [], parameters: [] };

/**
 * A reference: wink-bm25-text-search with Winnow's tokens.
 *
 * Works around limits of the library: it throws with fewer than three documents and on a missing field, keeps
 * four decimals, leaves ties to the sort, and counts repeated query words.
 */
export const wink: Ranker = {
  name: 'wink',
  build(documents) {
    const engine = createEngine();
    engine.defineConfig({ fldWeights: WEIGHTS });
    // Fields arrive as tokens, queries as text, because the library cannot prepare queries by field name.
    engine.definePrepTasks([
      (input: string | readonly string[]) =>
        typeof input === 'string' ? [...new Set(tokenizeQuery(input))] : input,
    ]);
    for (let position = 0; position < Math.max(documents.length, MIN_DOCUMENTS); position += 1) {
      const document = documents[position];
      engine.addDoc(document === undefined ? NO_TOKENS : tokensOf(document), position);
    }
    engine.consolidate(SCORE_DECIMALS);
    const { length } = documents;
    return toIndex(length, (query) =>
      engine
        .search(query, MIN_DOCUMENTS + length)
        .map(toHit)
        .filter(({ score }) => score > 0)
        .sort((left, right) => right.score - left.score || left.position - right.position),
    );
  },
};

function tokensOf({ name, description, parameters }: ToolDocument): Record<keyof typeof WEIGHTS, string[]> {
  return {
    name: tokenize(name),
    description: tokenize(description),
    parameters: parameters.flatMap((parameter) => [...tokenize(parameter.name), ...tokenize(parameter.text)]),
  };
}

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
    return toIndex(documents.length, (query, limit) => engine.search(query, limit).map(toHit));
  },
};

function toIndex(size: number, search: (query: string, limit: number) => readonly Hit[]): RankerIndex {
  return {
    size,
    // Not available from the library; the bench measures the heap.
    bytes: 0,
    async rank(query, { limit }) {
      const hits = search(query, limit);
      return { hits: hits.slice(0, limit), totalMatches: hits.length };
    },
  };
}

function toRecord(document: ToolDocument): Record<string, string> {
  const { name, description } = document;
  return { name, description, parameters: parametersText(document) };
}

/** The library reports the document, not the field. */
function toHit([id, score]: [string, number]): Hit {
  return { position: Number(id), score, matchedOn: [] };
}
