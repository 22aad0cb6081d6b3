import type { Random } from '@winnow/testkit';

/** One thing that may go wrong. */
export interface Mischief {
  /** What happens, in a few words. */
  readonly name: string;
  begin(): Promise<unknown>;
  /** Puts everything right again. */
  end(): Promise<unknown>;
}

/** How mischief is made. */
export interface MischiefOptions {
  readonly random: Random;
  /** Whether no more is to begin. */
  readonly isOver: () => boolean;
  /** Waits for so many milliseconds, or until no more is to begin. */
  readonly wait: (ms: number) => Promise<void>;
  readonly report: (line: string) => void;
}

/** How long one thing stays wrong, and how long all is well after it, in milliseconds. */
const LASTS_MS = { least: 500, most: 6_000 } as const;
const PEACE_MS = { least: 1_000, most: 5_000 } as const;

/** Makes one mischief after the other, each of the list before any comes twice. Gives how often each was made. */
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
