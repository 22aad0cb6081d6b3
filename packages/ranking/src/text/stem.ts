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
 * Returns what stemming may make of a word at the end of longer ones, depending on what precedes it: first the word
 * itself, then the same with endings removed. Undefined for words that are not ASCII, and for those that may belong to
 * an ending as a whole.
 */
export function endsAfterStemming(word: string): readonly string[] | undefined {
  if (!IS_ASCII_WORD.test(word)) return undefined;
  if (!HAS_ENDING.test(word) && !TAILS.has(word)) return [word];
  const ends = new Set([word]);
  for (const step of PORTER_STEPS) {
    for (const end of [...ends]) {
      for (const [ending, replacements] of step) {
        if (ending.length > end.length && ending.endsWith(end)) return undefined;
        if (!end.endsWith(ending)) continue;
        const rest = end.slice(0, end.length - ending.length);
        for (const replacement of replacements) ends.add(rest + replacement);
        // A doubled consonant becomes a single one: hopp(ing).
        if (ending === 'ed' || ending === 'ing') ends.add(rest.slice(0, -1));
      }
    }
  }
  return [...ends];
}

const IS_ASCII_WORD = /^[a-z0-9]+$/;

/** The endings that Porter's algorithm removes in each step if what precedes them allows it, with their replacements. */
const PORTER_STEPS = `
sses:ss ies:i s:
eed:ee ed:|e ing:|e
y:i
ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log
icate:ic ative: alize:al iciti:ic ical:ic ful: ness:
al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:
e:
ll:l`
  .trim()
  .split('\n')
  .map((step) =>
    step.split(' ').map((rule) => {
      const [ending, replacements] = rule.split(':');
      return [ending!, replacements!.split('|')] as const;
    }),
  );

const ENDINGS = PORTER_STEPS.flat().map(([ending]) => ending);
const HAS_ENDING = new RegExp(`(?:${ENDINGS.join('|')})$`);

/** Words that may end an ending. */
const TAILS: ReadonlySet<string> = new Set(
  ENDINGS.flatMap((ending) => Array.from(ending, (_, at) => ending.slice(at))),
);

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
