import type { Hit, Ranker, ToolDocument } from '@winnow/ranking';
import MiniSearch, { type SearchResult } from 'minisearch';
import { parametersText } from './parameters-text.ts';

/** Weights of fields; the usual advice for names over texts. */
const BOOST = { name: 4, description: 2, parameters: 1 };
const FIELDS = ['name', 'description', 'parameters'] as const;

/** minisearch with default settings and field boosts: a reference. */
export const minisearch: Ranker = {
  name: 'minisearch',
  build(documents) {
    const engine = new MiniSearch<{ id: number }>({ fields: [...FIELDS], searchOptions: { boost: BOOST } });
    engine.addAll(documents.map(toRecord));
    return {
      size: documents.length,
      // Not available from the library; the bench measures the heap.
      bytes: 0,
      async rank(query, { limit }) {
        const results = engine.search(query);
        return { hits: results.slice(0, limit).map(toHit), totalMatches: results.length };
      },
    };
  },
};

function toRecord(document: ToolDocument, id: number) {
  const { name, description } = document;
  return { id, name, description, parameters: parametersText(document) };
}

function toHit({ id, score, match }: SearchResult): Hit {
  const fields = new Set(Object.values(match).flat());
  return { position: id as number, score, matchedOn: FIELDS.filter((field) => fields.has(field)) };
}
