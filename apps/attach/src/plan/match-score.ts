/** The score of a tool that the query names. */
export const WHOLE_SCORE = 100;

/**
 * The exponent of the curve: at a score of 35, the least by default, 95 of 100 tools still pass that are right and among the first ten found for queries of up to
 * twelve words. Fitted on public sets by `npm run bench:attach`; docs/reference/attach.md has the curve and the figures.
 */
const SCORE_EXPONENT = 0.36;

/**
 * The `match_score` of a tool, from 0 to 100 with one decimal: 100 · coverage ^ 0.36.
 *
 * @param coverage how much of the best-fitting sentence of the query the tool covers, from 0 to 1, as `RankerIndex.cover` gives it: comparable between queries.
 */
export function matchScore(coverage: number): number {
  return Math.round(WHOLE_SCORE * 10 * coverage ** SCORE_EXPONENT) / 10;
}
