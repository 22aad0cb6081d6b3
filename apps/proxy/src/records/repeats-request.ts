import type { RequestView } from '@winnow/wire';

/** Number of earlier messages to compare with. */
const EARLIER = 8;

/** Minimum number of different words in a message that states a request: "yes" and "go on" repeat nothing. */
const FEWEST_WORDS = 3;

/** Share of words that two messages have in common if one repeats the other (Jaccard index). */
const SAME_SHARE = 0.7;

/** Maximum length of a message to compare, in characters: longer ones are documents. */
const MOST_CHARS = 4_000;

/**
 * Whether the user's message repeats an earlier one of the conversation in almost the same words, after the
 * model has answered without a call.
 */
export function repeatsRequest({ userTexts, turns }: Pick<RequestView, 'userTexts' | 'turns'>): boolean {
  const last = turns.at(-1);
  const text = userTexts.at(-1) ?? '';
  if (last === undefined || last.callIds.length > 0 || text.length > MOST_CHARS) return false;
  const words = wordsOf(text);
  if (words.size < FEWEST_WORDS) return false;
  return userTexts
    .slice(-1 - EARLIER, -1)
    .some((earlier) => earlier.length <= MOST_CHARS && shareOf(words, wordsOf(earlier)) >= SAME_SHARE);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
}

function shareOf(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let both = 0;
  for (const word of some) if (others.has(word)) both += 1;
  return both / (some.size + others.size - both);
}
