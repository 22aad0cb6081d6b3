import { cutText, LIMITS } from '@winnow/core';
import { splitSentences } from '../text/sentences.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { splitWords, tokenizeWord } from '../text/tokenize.ts';

/**
 * Minimum number of words, besides stop words, in a sentence that states a request: "Thanks!" and "Is that
 * possible?" have fewer.
 */
const LEAST_WORDS = 3;

/**
 * Minimum number of such sentences: a query of two mostly asks for one thing and gives a reason. From 2 to 5
 * words and with 3 sentences, the results agree within chance.
 */
const LEAST_SENTENCES = 3;

/** Maximum number of sentences: together with the query, one batch of a local model. */
const MOST_SENTENCES = 7;

/**
 * Returns the sentences of a query that asks for several things, judged by the number of words: those with
 * enough words, if there are at least {@link LEAST_SENTENCES}; the first ones if there are many. Empty for any
 * other query.
 */
export function tellingSentences(query: string): string[] {
  const telling = splitSentences(cutText(query, LIMITS.keywordPatternChars))
    .filter((sentence) => tellingWords(sentence) >= LEAST_WORDS)
    .map((sentence) => sentence.trim());
  return telling.length < LEAST_SENTENCES ? [] : telling.slice(0, MOST_SENTENCES);
}

/** Counts words; in scripts without spaces, pairs of characters. */
function tellingWords(sentence: string): number {
  const words = splitWords(sentence).filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  return words.flatMap((word) => tokenizeWord(word).parts).length;
}
