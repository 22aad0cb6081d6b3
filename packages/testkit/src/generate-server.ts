import { capitalise } from './english.ts';
import type { Random } from './random.ts';
import { DOMAINS, NOUN_PREFIXES, SYLLABLES } from './vocabulary.ts';

/** A tool server: a product in one field of work, with its own habits of naming. */
export interface ToolServer {
  /** Made-up name, capitalised: "Norvel". */
  readonly product: string;
  /** What its tools act on. */
  readonly nouns: readonly string[];
  /** Puts the words of a tool's name together, behind the server's prefix where it has one. */
  toName(words: readonly string[]): string;
}

/** Makes a server. One in four puts no prefix before its tools' names. */
export function generateServer(random: Random): ToolServer {
  const domain = random.pick(DOMAINS);
  const product = generateProduct(random);
  // A few compounds of its own beside the plain nouns: "subinvoice" is a word that few other servers have.
  const compounds = random.sample(domain.nouns, 3).map((noun) => random.pick(NOUN_PREFIXES) + noun);
  const prefix = random
    .pick(['', `${product}_`, `${product}__`, `${product}_${domain.topic}_`])
    .toLowerCase();
  return {
    product,
    nouns: [...random.sample(domain.nouns, 8), ...compounds],
    toName: (words) => prefix + words.join('_'),
  };
}

function generateProduct(random: Random): string {
  return capitalise(Array.from({ length: random.between(2, 4) }, () => random.pick(SYLLABLES)).join(''));
}
