import { createRandom, type Random } from '@winnow/testkit';
import { seedOf } from '../hash-text.ts';

const LONG_WORD = /\p{L}{5,}/gu;
const EVERY = 3;

/**
 * Returns the query with typing mistakes: every third of its words of five letters or more, starting with the
 * first, second or third, loses a letter, doubles one, or swaps two neighbours.
 *
 * The id alone decides the start and the mistakes, so every ranker and every run gets the same text. The
 * first letter stays, as it usually does when people mistype.
 */
export function misspell(query: string, id: string): string {
  const random = createRandom(seedOf(id));
  let seen = random.below(EVERY);
  return query.replace(LONG_WORD, (word) => {
    const isChosen = seen % EVERY === 0;
    seen += 1;
    return isChosen ? mistype(word, random) : word;
  });
}

function mistype(word: string, random: Random): string {
  const letters = [...word];
  const position = random.between(1, letters.length - 2);
  const [letter, next] = [letters[position] as string, letters[position + 1] as string];
  const mistakes = [next, letter + letter + next, next + letter];
  // Swapping two equal letters would change nothing.
  const mistake = random.pick(letter === next ? mistakes.slice(0, 2) : mistakes);
  return [...letters.slice(0, position), mistake, ...letters.slice(position + 2)].join('');
}
