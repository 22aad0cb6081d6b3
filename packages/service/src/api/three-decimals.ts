/** Rounds a number to three decimals, which is precise enough for milliseconds and scores. */
export function threeDecimals(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
