import type { MatchedField } from '@winnow/core';
import { byPosition, type Ranker, type Ranking } from '../src/ranker.ts';
import type { ToolDocument } from '../src/tools/tool-document.ts';

/**
 * A ranker simple enough to foretell: the score is the number of fields' words that are in the query. For tests of what stands on
 * top of a ranker.
 */
export const wordRanker: Ranker = {
  name: 'words',
  build(documents) {
    const indexed = documents.map(wordsByField);
    return {
      size: documents.length,
      bytes: 100,
      async rank(query, { limit, alsoPositions = [], excluded, compare = byPosition }): Promise<Ranking> {
        const terms = new Set(wordsOf(query));
        const hits = indexed
          .map((fields, position) => ({ position, ...score(fields, terms) }))
          .filter((hit) => hit.score > 0 && excluded?.[hit.position] !== 1)
          .sort((left, right) => right.score - left.score || compare(left.position, right.position));
        const wanted = hits.filter(
          ({ position }, place) => place < limit || alsoPositions.includes(position),
        );
        return { hits: wanted, totalMatches: hits.length };
      },
    };
  },
};

const FIELDS = ['name', 'description', 'parameters'] as const;
type Words = Record<(typeof FIELDS)[number], string[]>;

function wordsByField({ name, description, parameters }: ToolDocument): Words {
  return {
    name: wordsOf(name),
    description: wordsOf(description),
    parameters: parameters.flatMap((parameter) => wordsOf(`${parameter.name} ${parameter.text}`)),
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

function score(words: Words, terms: ReadonlySet<string>): { score: number; matchedOn: MatchedField[] } {
  const counts = FIELDS.map((field) => words[field].filter((word) => terms.has(word)).length);
  return {
    score: counts.reduce((total, count) => total + count, 0),
    matchedOn: FIELDS.filter((_, index) => counts[index]! > 0),
  };
}
