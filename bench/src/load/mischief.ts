import type { Random } from '@winnow/testkit';

/** A failure to cause. */
export interface Mischief {
  /** A short description. */
  readonly name: string;
  begin(): Promise<unknown>;
  /** Ends the failure. */
  end(): Promise<unknown>;
}

/** Options for causing failures. */
export interface MischiefOptions {
  readonly random: Random;
  /** Whether no more failures are to begin. */
  readonly isOver: () => boolean;
  /** Waits for a number of milliseconds, or until no more failures are to begin. */
  readonly wait: (ms: number) => Promise<void>;
  readonly report: (line: string) => void;
}

/** Duration of a failure, and of the pause after it, in milliseconds. */
const LASTS_MS = { least: 500, most: 6_000 } as const;
const PEACE_MS = { least: 1_000, most: 5_000 } as const;

/**
 * Causes one failure after another; each of the list happens once before any repeats. Returns the number of
 * times for each.
 */
export async function makeMischief(
  list: readonly Mischief[],
  { random, isOver, wait, report }: MischiefOptions,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (;;) {
    for (const { name, begin, end } of random.sample(list, list.length)) {
      if (isOver()) return counts;
      report(name);
      await begin();
      await wait(random.between(LASTS_MS.least, LASTS_MS.most));
      await end();
      counts.set(name, (counts.get(name) ?? 0) + 1);
      await wait(random.between(PEACE_MS.least, PEACE_MS.most));
    }
  }
}
