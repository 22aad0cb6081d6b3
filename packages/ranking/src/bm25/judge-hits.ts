import type { Judgement } from '../ranker.ts';
import { ENTRY_BITS, ENTRY_SHIFT } from './flat-index.ts';
import type { IndexView } from './index-view.ts';
import type { Bm25Parameters } from './parameters.ts';
import type { Concept, ReadQuery } from './read-query.ts';

/**
 * Returns the confidence in each document that matches a query, from 0 to 1, comparable between queries and
 * catalogues:
 *
 *   1 / (1 + exp(−(share · query covered + words · ln(concepts) + name · name covered + bias)))
 *
 * The covered part of the query is the share of the idf of its concepts that the document contains; a concept
 * without any term in the index counts with the median idf. A long request is covered less by the right tool
 * than a short search is, which the second term allows for.
 *
 * Takes time linear in the distinct terms of the documents.
 * Source: logistic regression on public sets, see docs/decisions/2026-11-23-a-search-that-says-no.md.
 */
export function judgeHits(
  view: IndexView,
  { concepts }: ReadQuery,
  documents: readonly number[],
  parameters: Bm25Parameters,
): readonly Judgement[] {
  const weights = weightsOf(concepts);
  const whole = concepts.reduce((sum, concept) => sum + worthOf(view, concept, parameters), 0);
  return documents.map((document) => {
    const { present, nameCovered } = readDocument(view, document, weights);
    let covered = 0;
    for (const concept of concepts) {
      const best = concept.terms.reduce(
        (most, { term, weight }) => (weight > most && present.has(term) ? weight : most),
        0,
      );
      covered += Math.min(1, best) * worthOf(view, concept, parameters);
    }
    const queryCovered = whole === 0 ? 0 : covered / whole;
    const { share, words, name, bias } = MODEL;
    const evidence = share * queryCovered + words * Math.log(concepts.length) + name * nameCovered + bias;
    return { position: document, confidence: 1 / (1 + Math.exp(-evidence)) };
  });
}

/** Coefficients of the regression. */
const MODEL = { share: 8, words: 2.6, name: 3, bias: -8.25 } as const;

function weightsOf(concepts: readonly Concept[]): ReadonlyMap<number, number> {
  const weights = new Map<number, number>();
  for (const { terms } of concepts)
    for (const { term, weight } of terms) weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  return weights;
}

function worthOf(view: IndexView, { terms, isWeak }: Concept, { weakWord }: Bm25Parameters): number {
  if (terms.length === 0) return view.medianIdf;
  const idf = terms.reduce((most, { term }) => Math.max(most, view.idf(term)), 0);
  return isWeak ? weakWord * idf : idf;
}

/** Returns the query's terms in a document, and the covered share of the idf of its name. */
function readDocument(view: IndexView, document: number, weights: ReadonlyMap<number, number>) {
  const { entries, start, end } = view.store.entrySpan(document);
  const present = new Set<number>();
  let [name, covered] = [0, 0];
  for (let at = start; at < end; at++) {
    const entry = entries[at]!;
    const term = entry >>> ENTRY_SHIFT;
    const weight = weights.get(term);
    if (weight !== undefined) present.add(term);
    if ((entry & ENTRY_BITS.namePart) === 0) continue;
    const idf = view.idf(term);
    name += idf;
    covered += (weight ?? 0) * idf;
  }
  return { present, nameCovered: name === 0 ? 0 : covered / name };
}
