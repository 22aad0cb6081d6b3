import type { MatchedField } from '@winnow/core';
import type { ComparePositions, Hit, LaterHits } from '../ranker.ts';
import { FIELD_BITS, FIELD_MASK } from './postings.ts';
import type { Scored } from './score-documents.ts';

/**
 * Returns the documents with the highest scores, best first, at most `limit`; equal scores in the given order. Takes
 * time linear in the matching documents while `limit` is small.
 */
export function selectBest(scored: Ranked, limit: number, compare: ComparePositions): number[] {
  return chooseBest(scored, limit, compare).sort(orderOf(scored, compare));
}

/** Documents with scores. */
type Ranked = Pick<Scored, 'scores' | 'count'> & { readonly documents: ArrayLike<number> };

function orderOf({ scores }: Ranked, compare: ComparePositions): ComparePositions {
  return (a, b) => scores[b]! - scores[a]! || compare(a, b);
}

/** Returns the documents of `selectBest` in no order. Takes time linear in the matching documents. */
export function chooseBest(scored: Ranked, limit: number, compare: ComparePositions): number[] {
  const { documents, scores, count } = scored;
  const chosen: number[] = [];
  if (limit >= count) {
    for (let at = 0; at < count; at++) chosen.push(documents[at]!);
    return chosen;
  }
  // 1. Count the documents in steps between 0 and the best score, and find the lowest required step.
  let best = 0;
  for (let at = 0; at < count; at++) best = Math.max(best, scores[documents[at]!]!);
  const perScore = STEPS / best;
  steps.fill(0);
  for (let at = 0; at < count; at++) steps[(scores[documents[at]!]! * perScore) | 0]!++;
  let [lowest, found] = [STEPS + 1, 0];
  while (found < limit) found += steps[--lowest]!;
  // 2. Take the documents above it, and the best within it.
  const edge: number[] = [];
  for (let at = 0; at < count; at++) {
    const document = documents[at]!;
    const step = (scores[document]! * perScore) | 0;
    if (step > lowest) chosen.push(document);
    else if (step === lowest) edge.push(document);
  }
  if (found > limit) edge.sort(orderOf(scored, compare)).length -= found - limit;
  for (const document of edge) chosen.push(document);
  return chosen;
}

const STEPS = 1_024;
/** The best score may have a step of its own. */
const steps = new Uint32Array(STEPS + 1);

/** A selection of the matching documents. */
export interface LaterOptions {
  /** Maximum number of hits, including those already returned. */
  readonly limit: number;
  readonly given: ReadonlySet<number>;
  readonly compare: ComparePositions;
}

/** Takes the remaining matches from the score board, to be sorted on demand; undefined if there are none. */
export function laterBest(
  scored: Scored,
  { limit, given, compare }: LaterOptions,
): LaterHits<Hit> | undefined {
  const count = Math.min(limit, scored.count) - given.size;
  if (count <= 0) return undefined;
  // The returned ones are among them, unless they were requested from beyond the limit.
  const likely = chooseBest(scored, limit, compare);
  const rows = new LaterBest(count, likely.length, compare);
  for (const document of likely) if (!given.has(document)) rows.add(document, scored);
  return rows;
}

/** The remaining matches in columns, one row per document. */
class LaterBest implements LaterHits<Hit> {
  readonly count: number;
  readonly #documents: Uint32Array;
  readonly #scores: Float32Array;
  readonly #fields: Uint8Array;
  readonly #compare: ComparePositions;
  #rows = 0;

  constructor(count: number, mostRows: number, compare: ComparePositions) {
    this.count = count;
    this.#documents = new Uint32Array(mostRows);
    this.#scores = new Float32Array(mostRows);
    this.#fields = new Uint8Array(mostRows);
    this.#compare = compare;
  }

  add(document: number, { scores, fields }: Scored): void {
    const row = this.#rows++;
    this.#documents[row] = document;
    this.#scores[row] = scores[document]!;
    this.#fields[row] = fields[document]!;
  }

  make(): readonly Hit[] {
    const [documents, scores] = [this.#documents, this.#scores];
    return Array.from({ length: this.#rows }, (_, row) => row)
      .sort((a, b) => scores[b]! - scores[a]! || this.#compare(documents[a]!, documents[b]!))
      .slice(0, this.count)
      .map((row) => toHit(documents[row]!, scores[row]!, this.#fields[row]!));
  }
}

/** Returns the hit of a matching document. @param fields the FIELD_BITS of the match. */
export function toHit(document: number, score: number, fields: number): Hit {
  return { position: document, score, matchedOn: MATCHED_FIELDS[fields]! };
}

/** Lists of matched fields by FIELD_BITS, shared by all hits. */
const MATCHED_FIELDS: readonly (readonly MatchedField[])[] = Array.from(
  { length: FIELD_MASK + 1 },
  (_, bits) => matchedFields(bits),
);

function matchedFields(bits: number): readonly MatchedField[] {
  const fields: MatchedField[] = [];
  if (bits & (FIELD_BITS.namePart | FIELD_BITS.name)) fields.push('name');
  if (bits & (FIELD_BITS.lead | FIELD_BITS.description)) fields.push('description');
  if (bits & FIELD_BITS.parameters) fields.push('parameters');
  return fields;
}
