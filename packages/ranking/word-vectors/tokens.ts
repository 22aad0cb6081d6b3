import { createInterface } from 'node:readline';
import { STOP_WORDS } from '../src/text/stop-words.ts';
import { splitWords, tokenizeWord } from '../src/text/tokenize.ts';

// Reads lines of text from the standard input, and writes the distinct tokens of each, separated by spaces.
for await (const line of createInterface({ input: process.stdin })) {
  const words = splitWords(line).filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  console.log([...new Set(words.flatMap((word) => tokenizeWord(word).parts))].join(' '));
}
