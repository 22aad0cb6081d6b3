import { LIMITS } from '@winnow/contract';
import { cutText } from '../text/cut-text.ts';
import { splitSentences } from '../text/sentences.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { splitWords, tokenizeWord } from '../text/tokenize.ts';

/** Words beside stop words that a sentence has at least if it says what is asked for: "Thanks!" and "Is that possible?" do not. */
const LEAST_WORDS = 3;

/** A query of two such sentences mostly asks for one thing, and the other one says why. From 2 to 5 words and with 3 sentences the results are the same within chance. */
const LEAST_SENTENCES = 3;

/** Together with the query as many texts as a local model reads at once. */
const MOST_SENTENCES = 7;

/**
 * The sentences of a query that asks for several things, as far as can be told without understanding it: those that say much, if there are at least {@link LEAST_SENTENCES};
 * of many, the first ones. None for any other query.
 */
export function tellingSentences(query: string): string[] {
  const telling = splitSentences(cutText(query, LIMITS.keywordPatternChars))
    .filter((sentence) => tellingWords(sentence) >= LEAST_WORDS)
    .map((sentence) => sentence.trim());
  return telling.length < LEAST_SENTENCES ? [] : telling.slice(0, MOST_SENTENCES);
}

/** Scripts without spaces have pairs of characters for words. */
function tellingWords(sentence: string): number {
  const words = splitWords(sentence).filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  return words.flatMap((word) => tokenizeWord(word).parts).length;
}
