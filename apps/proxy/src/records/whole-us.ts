/** Milliseconds in whole microseconds: nothing here is measured more closely, and further digits would only make lines longer. */
export function wholeUs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
