import type { IndexView } from './index-view.ts';
import type { Bm25Parameters } from './parameters.ts';
import { WEIGHT_UNITS } from './postings.ts';
import type { Concept, ReadQuery } from './read-query.ts';
import { scoreClause } from './score-documents.ts';

/**
 * Returns the share of a query that each document covers, from 0 to 1, comparable between queries (unlike
 * scores): the document's score for its best clause, divided by the score of a document with exactly the
 * words of that clause in its name. Words without any document count as words of median rarity in the
 * divisor, so that a mostly unknown clause is never fully covered.
 *
 * Documents that do not match are left out. Takes one search per clause.
 */
export function coverQuery(
  view: IndexView,
  { clauses }: ReadQuery,
  documents: readonly number[],
  parameters: Bm25Parameters,
): ReadonlyMap<number, number> {
  const best = new Map<number, number>();
  for (const clause of clauses) {
    const whole = wholeScore(view, clause, parameters);
    const scored = scoreClause(view, clause, parameters);
    const matched = new Set(scored.documents.subarray(0, scored.count));
    for (const document of documents) {
      if (!matched.has(document)) continue;
      // Scores have single precision; rounding makes a whole name reach exactly 1.
      const covered = Math.min(1, Math.round((scored.scores[document]! / whole) * PRECISION) / PRECISION);
      if (covered > (best.get(document) ?? 0)) best.set(document, covered);
    }
  }
  return best;
}

/** The reliable precision of a single-precision score. */
const PRECISION = 1e6;

/** Returns the score of a document whose name is the clause. */
function wholeScore(view: IndexView, clause: readonly Concept[], parameters: Bm25Parameters): number {
  const { k1, b, fieldWeights, matchedShare, matchedShareWords } = parameters;
  const weight = fieldWeights.name * WEIGHT_UNITS;
  const length = weight * clause.length;
  const norm = WEIGHT_UNITS * k1 * (1 - b + (b * length) / view.meanLength);
  const saturation = ((k1 + 1) * weight) / (norm + weight);
  const idfs = clause.reduce((sum, concept) => sum + conceptIdf(view, concept), 0);
  return idfs * saturation * (1 + matchedShare * Math.min(1, matchedShareWords / clause.length));
}

function conceptIdf(view: IndexView, { terms }: Concept): number {
  if (terms.length === 0) return view.medianIdf;
  return Math.max(...terms.map(({ term, weight }) => weight * view.idf(term)));
}
