import type { ComparePositions } from '../ranker.ts';
import type { Scored } from './score-documents.ts';

/**
 * Returns the documents with the highest scores, best first, at most `limit`; equal scores in the given
 * order. Takes time linear in the matching documents while `limit` is small.
 */
export function selectBest(scored: Scored, limit: number, compare: ComparePositions): number[] {
  const { documents, scores, count } = scored;
  const isBefore = (a: number, b: number): boolean =>
    scores[a]! > scores[b]! || (scores[a] === scores[b] && compare(a, b) < 0);
  if (limit >= count || limit > MAX_INSERTED) {
    return [...notBelow(scored, limit)]
      .sort((a, b) => scores[b]! - scores[a]! || compare(a, b))
      .slice(0, limit);
  }
  const best: number[] = [];
  for (let at = 0; at < count; at++) {
    const document = documents[at]!;
    if (best.length === limit && !isBefore(document, best[limit - 1]!)) continue;
    if (best.length === limit) best.pop();
    let place = best.length;
    while (place > 0 && isBefore(document, best[place - 1]!)) place--;
    best.splice(place, 0, document);
  }
  return best;
}

/**
 * Returns the documents with the `limit` highest scores, in no order, and a few others: all that share the
 * lowest of these scores are included. Takes time linear in the matching documents.
 */
export function notBelow({ documents, scores, count }: Scored, limit: number): Uint32Array {
  if (limit >= count) return documents.slice(0, count);
  // 1. Count the documents in steps between 0 and the best score, and find the lowest required step.
  let best = 0;
  for (let at = 0; at < count; at++) best = Math.max(best, scores[documents[at]!]!);
  const perScore = STEPS / best;
  const stepOf = (document: number): number => Math.min(STEPS - 1, Math.floor(scores[document]! * perScore));
  steps.fill(0);
  for (let at = 0; at < count; at++) steps[stepOf(documents[at]!)]!++;
  let [lowest, found] = [STEPS, 0];
  while (found < limit) found += steps[--lowest]!;
  // 2. Take the documents at or above it.
  const chosen = new Uint32Array(found);
  let end = 0;
  for (let at = 0; at < count; at++) {
    const document = documents[at]!;
    if (stepOf(document) >= lowest) chosen[end++] = document;
  }
  return chosen;
}

const STEPS = 1_024;
const steps = new Uint32Array(STEPS);

/** Limit above which sorting everything is cheaper than keeping a short sorted list. */
const MAX_INSERTED = 128;
