const DAY_MS = 86_400_000;

/** Returns the UTC day of a time, such as `2026-11-21`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** Returns the 7 whole days before the day of a time; counts over them stay the same until the day ends. */
export function lastWholeWeek(at: number): { readonly firstDay: string; readonly lastDay: string } {
  return { firstDay: dayOf(at - 7 * DAY_MS), lastDay: dayOf(at - DAY_MS) };
}

/** Returns the 7 days up to and including the day of a time. */
export function lastSevenDays(at: number): { readonly firstDay: string; readonly lastDay: string } {
  return { firstDay: dayOf(at - 6 * DAY_MS), lastDay: dayOf(at) };
}
