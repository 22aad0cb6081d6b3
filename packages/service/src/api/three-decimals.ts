/** The number with at most three decimals: as many as anybody reads, of milliseconds as of scores. */
export function threeDecimals(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
