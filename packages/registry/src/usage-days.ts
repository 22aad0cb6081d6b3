const DAY_MS = 86_400_000;

/** The day of a moment in UTC, such as `2026-11-21`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The 7 whole days before the day of a moment: what is counted over them stays the same until the day ends. */
export function lastWholeWeek(at: number): { readonly firstDay: string; readonly lastDay: string } {
  return { firstDay: dayOf(at - 7 * DAY_MS), lastDay: dayOf(at - DAY_MS) };
}

/** The 7 days up to a moment, its own day included. */
export function lastSevenDays(at: number): { readonly firstDay: string; readonly lastDay: string } {
  return { firstDay: dayOf(at - 6 * DAY_MS), lastDay: dayOf(at) };
}
