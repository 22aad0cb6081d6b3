import { stemmer } from 'stemmer';

/** Nouns that only look like plurals; Porter's algorithm would stem "news" to "new". */
const NOT_PLURAL = new Set('news sms gps dns aws ios css rss gas bus status address access'.split(' '));

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const IS_ASCII = /^[\x00-\x7f]*$/;
const CYRILLIC = /^\p{Script=Cyrillic}+$/u;

/**
 * Returns the stem of a lower-case word, by its script: Porter's algorithm for Latin, removal of common
 * endings for Cyrillic and Greek, otherwise the word itself. Stems only group related words; they are never
 * displayed.
 *
 * Sources: Porter 1980, "An algorithm for suffix stripping"; Dolamic & Savoy 2009, "Indexing and searching
 * strategies for the Russian language" (light stemming by inflectional endings).
 */
export function stem(word: string): string {
  if (word.length > MAX_STEMMED_CHARS) return word;
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  const stemmed = strip(word);
  remembered.set(word, stemmed);
  return stemmed;
}

/** Maximum length of stemmed words: longer ones are joined words without inflection. */
const MAX_STEMMED_CHARS = 20;

/** Stems of recent words: identifiers are often new, their parts are not. */
const remembered = new Map<string, string>();
const MAX_REMEMBERED = 50_000;

function strip(word: string): string {
  if (IS_ASCII.test(word)) return NOT_PLURAL.has(word) ? word : stemmer(word);
  if (CYRILLIC.test(word)) return stripEnding(word, CYRILLIC_ENDINGS);
  return stripEnding(word, GREEK_ENDINGS);
}

/**
 * Whether stemming leaves every word that ends with this one as it is, if it is of ASCII: Porter's algorithm begins
 * with one of {@link ENDINGS}, here or across the joint.
 */
export function staysAtEnd(word: string): boolean {
  if (!CAN_STAY.test(word) || HAS_ENDING.test(word)) return false;
  return word.length > 3 || !ENDINGS.some((ending) => ending.endsWith(word));
}

const CAN_STAY = /^[a-z0-9]+$/;

/** The endings that Porter's algorithm looks for, of at most four letters, by what several have in common. */
const ENDINGS = 's e y ed ing ll al enci anci li er ion ator ism iti logi ful ic ant ent ou'.split(' ');
const HAS_ENDING = new RegExp(`(?:${ENDINGS.join('|')})$`);

/** Minimum number of letters in a stem. */
const MIN_STEM_CHARS = 3;

function stripEnding(word: string, endings: RegExp): string {
  const end = word.search(endings);
  return end >= MIN_STEM_CHARS ? word.slice(0, end) : word;
}

// Accents are folded before (й becomes и, ё becomes е, ї becomes і). Longer endings take precedence by
// matching earlier in the word.
const CYRILLIC_ENDINGS =
  /(?:(?:ироват|ювати|увати|ироваться|ся|сь)|(?:ени|анн|енн)(?:е|я|ю|ем|ии|ю|ями|ях|ого|ому|ых|ым|ая|ое|ые|ыи)?|(?:ость|ости|остью|ість|ості)|(?:иями|ями|ами|его|ого|ему|ому|ыми|ими|ому|ових|ові|ів|ев|еи|ов|ам|ям|ах|ях|ом|ем|им|ым|их|ых|ия|ии|ие|ию|ая|яя|ою|ею|ую|юю|ои|ыи|ии|ое|ее|ые)|(?:ать|ять|ить|еть|уть|ти|ати|ити|ути|ет|ют|ут|ит|ят|ат|ешь|ишь|аете|ите|ете|ает|яет|ают|яют|аи|яи|ал|ала|али|ил|ила|или)|[аеиоуыэюяьі])$/u;

const GREEK_ENDINGS =
  /(?:ματα|ματος|ματων|σεις|σεων|ους|εων|ων|ου|ος|ες|ης|ας|οι|ει|εις|ετε|ουν|ω|α|η|ο|ι|υ|ε)$/u;
