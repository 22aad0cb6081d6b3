/**
 * Rounds milliseconds to whole microseconds: measurements are no more precise, and more digits would only
 * make lines longer.
 */
export function wholeUs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
