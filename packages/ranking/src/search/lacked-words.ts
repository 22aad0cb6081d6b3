import { cutText, LIMITS } from '@winnow/core';
import { STOP_WORDS } from '../text/stop-words.ts';
import { splitWords, tokenize, tokenizeTelling } from '../text/tokenize.ts';
import type { MeaningSubject } from '../tools/meaning-text.ts';

/** The texts that describe a tool's purpose. */
export type TaughtText = MeaningSubject;

/** Maximum number of words of a query, and their length: more is text, not a search. */
const MOST_WORDS = 24;
const MOST_CHARS = 40;

/** Returns the telling words of a query, in lower case and each once, that a tool's name and description lack in any form. */
export function lackedWords(query: string, { name, description }: TaughtText): string[] {
  const own = new Set([...tokenize(name), ...tokenize(description)]);
  const words = splitWords(cutText(query, LIMITS.keywordPatternChars)).map((word) => word.toLowerCase());
  const telling = [...new Set(words)].filter((word) => word.length <= MOST_CHARS && !STOP_WORDS.has(word));
  return telling
    .slice(0, MOST_WORDS)
    .filter((word) => tokenizeTelling(word).every((token) => !own.has(token)));
}
