import { capitalise } from './english.ts';
import type { Random } from './random.ts';
import { DOMAINS, NOUN_PREFIXES, SYLLABLES } from './vocabulary.ts';

/** A tool server: a product in one field of work, with its own naming style. */
export interface ToolServer {
  /** Invented name with a capital: "Norvel". */
  readonly product: string;
  /** The things that its tools act on. */
  readonly nouns: readonly string[];
  /** Joins the words of a tool's name, after the server's prefix if it has one. */
  toName(words: readonly string[]): string;
}

/** Generates a server. One in four has no prefix before its tools' names. */
export function generateServer(random: Random): ToolServer {
  const domain = random.pick(DOMAINS);
  const product = generateProduct(random);
  // In addition to plain nouns, a few compounds: "subinvoice" is a word that few other servers have.
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
