import type { Tally } from './tally.ts';

/** What went wrong, in lines: the count of each kind, and its first examples. */
export function failureLines({ failures }: Pick<Tally, 'failures'>): string[] {
  return [...failures].flatMap(([kind, { count, examples }]) => [
    `${kind}: ${count}`,
    ...examples.map((example) => `  ${example.slice(0, MOST_SHOWN)}`),
  ]);
}

const MOST_SHOWN = 1_000;
