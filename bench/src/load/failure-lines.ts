import type { Tally } from './tally.ts';

/** Returns the failures as lines: the count of each kind with its first examples. */
export function failureLines({ failures }: Pick<Tally, 'failures'>): string[] {
  return [...failures].flatMap(([kind, { count, examples }]) => [
    `${kind}: ${count}`,
    ...examples.map((example) => `  ${example.slice(0, MOST_SHOWN)}`),
  ]);
}

const MOST_SHOWN = 1_000;
