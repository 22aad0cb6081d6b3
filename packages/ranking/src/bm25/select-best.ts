import type { Scored } from './score-documents.ts';

/**
 * The documents with the highest scores, best first, at most `limit`; equal scores in the order of their places.
 * Time is linear in the documents that matched, as long as `limit` is small.
 */
export function selectBest(scored: Scored, limit: number, placeOf: (document: number) => number): number[] {
  const { documents, scores, count } = scored;
  const isBefore = (a: number, b: number): boolean =>
    scores[a]! > scores[b]! || (scores[a] === scores[b] && placeOf(a) < placeOf(b));
  if (limit >= count || limit > MAX_INSERTED) {
    return [...notBelow(scored, limit)]
      .sort((a, b) => scores[b]! - scores[a]! || placeOf(a) - placeOf(b))
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

/** The documents whose scores are among the `limit` highest, those that share the lowest of these included; in no order. */
function notBelow({ documents, scores, count }: Scored, limit: number): Uint32Array {
  const matched = documents.subarray(0, count);
  if (limit >= count) return matched;
  // Numbers sort many times faster than documents by a comparison.
  const sorted = Float32Array.from(matched, (document) => scores[document]!).sort();
  const least = sorted[count - limit]!;
  return matched.filter((document) => scores[document]! >= least);
}

/** Above this, sorting everything is cheaper than keeping a short list in order. */
const MAX_INSERTED = 128;
