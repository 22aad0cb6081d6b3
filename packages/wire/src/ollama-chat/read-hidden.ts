import type { HiddenTurn } from '../format/view.ts';
import type { KeptResult } from '../turns/kept-result.ts';

/** One round of a hidden turn: the assistant's message, and the results of its searches. */
export interface HiddenRound {
  readonly message: string;
  readonly results: readonly KeptResult[];
}

/** A hidden turn's rounds: those in front of the visible part, and the one that holds it. */
export function readHidden({ before, message, results }: HiddenTurn): {
  readonly earlier: readonly HiddenRound[];
  readonly last: HiddenRound;
} {
  const earlier = before.flatMap((part, index) =>
    index % 2 === 0 ? [{ message: part, results: JSON.parse(before[index + 1]!) as KeptResult[] }] : [],
  );
  return { earlier, last: { message, results: results.map((one) => JSON.parse(one) as KeptResult) } };
}
