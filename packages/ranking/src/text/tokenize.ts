import { cutText, LIMITS } from '@winnow/core';
import characters from './simplified-characters.json' with { type: 'json' };
import { stem } from './stem.ts';
import { STOP_WORDS } from './stop-words.ts';

/**
 * Returns the index tokens of a text, in order: Unicode words in lower case, accents folded, lightly stemmed.
 * Identifiers give their parts, followed by the joined whole (`getUser_byId` gives `get user by id
 * getuserbyid`). Scripts without spaces give pairs of adjacent
 * characters, and Chinese also single ones.
 */
export function tokenize(text: string): string[] {
  return splitWords(text).flatMap(allTokens);
}

/** Returns the tokens of a query: those of `tokenize` without stop words, unless it has only stop words. */
export function tokenizeQuery(query: string): string[] {
  const telling = tokenizeTelling(query);
  return telling.length > 0 ? telling : tokenize(query);
}

/** Returns the tokens of a text without stop words; none for a text of stop words only. */
export function tokenizeTelling(text: string): string[] {
  return splitWords(text)
    .filter((word) => !STOP_WORDS.has(word.toLowerCase()))
    .flatMap(allTokens);
}

function allTokens(word: string): string[] {
  const { parts, wholes } = tokenizeWord(word);
  return [...parts, ...wholes];
}

/**
 * Returns the words of a text, as written: runs of letters and digits of any script, with the joiners `_ - .
 * / :` inside.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (start, end) => words.push(text.slice(start, end)));
  return words;
}

/** Passes the start and end of each word of `splitWords`, in order. One pass without strings. */
export function eachWord(text: string, take: (start: number, end: number) => void): void {
  for (let at = 0; at < text.length; at++) {
    if (kindOf(text.charCodeAt(at)) !== LETTER) continue;
    const start = at;
    let end = at;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const kind = kindOf(code);
      if (kind === LETTER) end = at + 1;
      // A joiner between two letters is inside the word; a second one in a row, or a break, ends it. Several
      // underscores join, since many gateways put two between a server's name and its tool's.
      else if (kind === BREAK || (at > end && code !== UNDERSCORE)) break;
    }
    take(start, end);
  }
}

const BREAK = 1;
const LETTER = 2;
const JOINER = 3;
const UNDERSCORE = 95;

/** The role of each UTF-16 code unit in words; filled as characters occur. */
const KINDS = new Uint8Array(0x1_0000);

function kindOf(code: number): number {
  return KINDS[code]! || classify(code);
}

function classify(code: number): number {
  const character = String.fromCharCode(code);
  const isJoiner = '_-./:'.includes(character);
  const kind = isJoiner ? JOINER : WORD_CHARACTER.test(character) ? LETTER : BREAK;
  KINDS[code] = kind;
  return kind;
}

/**
 * Letters, digits, accents, and invisible characters within words; apostrophes that Unicode counts as letters
 * are excluded. Halves of surrogate pairs count as letters: pairs are rare scripts or emoji, and emoji give
 * no tokens.
 */
const WORD_CHARACTER = /[[\p{L}\p{M}\p{N}\p{Cs}\u00ad\u200b-\u200d\ufeff]--[\u02b0-\u02ff]]/v;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const NOT_ASCII = /[^\x00-\x7f]/;

/** Accents, Arabic and Hebrew vowel points, the Arabic stretcher, soft hyphens and zero-width characters. */
const SILENT_MARKS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u00ad\u200b-\u200d\ufeff]/g;

/** Letters that readers confuse with others and that Unicode does not decompose. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};

/** Simplified Chinese characters by the traditional ones. Source: TSCharacters of OpenCC (Apache-2.0), those of Big5. */
const SIMPLIFIED: ReadonlyMap<string, string> = new Map(
  Array.from(characters.traditional, (character, at) => [character, characters.simplified[at]!]),
);

const HAN = /\p{Script=Han}/gu;

/**
 * Folds a word to one spelling for forms that readers consider equal: compatibility forms, letters with and
 * without accents, and traditional and simplified Chinese characters.
 */
function fold(word: string): string {
  return word
    .normalize('NFKD')
    .replace(SILENT_MARKS, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþıς]/gi, (letter) => LOOKALIKES[letter.toLowerCase()] ?? letter)
    .replace(HAN, (character) => SIMPLIFIED.get(character) ?? character);
}

/** Maximum length of a word: a longer run of letters is data (base64, a hash); the rest is ignored. */
export const MAX_WORD_CHARS = 128;

/**
 * Parts of an identifier. A run of capitals ends before the next capitalised word, but includes the plural s
 * of an abbreviation; digits belong to the preceding part: getS3ObjectsOfVMs2 is get, S3, Objects, Of, VMs,
 * 2.
 */
const PARTS =
  /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+|\p{Lu}+/gu;
/** The same for ASCII words; several times as fast. */
const ASCII_PARTS = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[A-Z]+/g;

/** Words of one part, by far the most. */
const PLAIN = /^[A-Z]?[a-z]+$/;

export interface WordTokens {
  readonly parts: readonly string[];
  /** The joined parts of each identifier with several parts. */
  readonly wholes: readonly string[];
}

/** Returns the tokens of one word from `splitWords`. */
export function tokenizeWord(word: string): WordTokens {
  const cut = word.slice(0, MAX_WORD_CHARS);
  if (PLAIN.test(cut)) return { parts: [stem(cut.toLowerCase())], wholes: [] };
  const parts: string[] = [];
  const wholes: string[] = [];
  if (NOT_ASCII.test(cut)) tokenizeForeign(fold(cut), parts, wholes);
  else tokenizeIdentifier(cut.match(ASCII_PARTS) ?? [], parts, wholes);
  return { parts, wholes };
}

function tokenizeForeign(word: string, parts: string[], wholes: string[]): void {
  let end = 0;
  for (const run of word.matchAll(UNSPACED)) {
    tokenizeIdentifier(word.slice(end, run.index).match(PARTS) ?? [], parts, wholes);
    parts.push(...piecesOf(Array.from(run[0])));
    end = run.index + run[0].length;
  }
  tokenizeIdentifier(word.slice(end).match(PARTS) ?? [], parts, wholes);
}

/** Runs of scripts without spaces between words, or with attached endings (Hangul). */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

/**
 * Returns pairs of adjacent characters, and the Chinese characters themselves, each of which has a meaning: "订票" and
 * "预订车票" have two of them in common. Without those that only hold a sentence together.
 */
function piecesOf(characters: readonly string[]): string[] {
  if (characters.length === 1) return [...characters];
  const pairs = characters.slice(1).map((character, index) => characters[index]! + character);
  return [...pairs, ...characters.filter((character) => TELLING_HAN.test(character))];
}

/** From general knowledge: particles, pronouns, prepositions, conjunctions, and words of requests. */
const TELLING_HAN =
  /[\p{Script=Han}--[的了吗请我你您他她它们在和与及或是有个把被给让帮想要能可以这那些为对从到吧呢啊么什怎样一下]]/v;

function tokenizeIdentifier(pieces: readonly string[], parts: string[], wholes: string[]): void {
  let hasLetters = false;
  for (const piece of pieces) {
    const lower = piece.toLowerCase();
    const hasDigit = DIGIT.test(lower);
    const isNumber = hasDigit && IS_NUMBER.test(lower);
    hasLetters ||= !isNumber;
    // A single letter among other parts carries no meaning ("x_axis"); the whole contains it.
    if (piece.length === 1 && pieces.length > 1) continue;
    parts.push(stem(lower));
    // "base64" is also found by "base"; shorter runs of letters ("s3", "k8s") mean nothing without their
    // digit.
    if (hasDigit && !isNumber) for (const run of lower.match(LETTER_RUNS) ?? []) parts.push(stem(run));
  }
  // Dates and version numbers are not names.
  if (pieces.length < 2 || !hasLetters) return;
  wholes.push(wholeOf(pieces.join('').toLowerCase()));
}

/** Returns the token of an identifier's joined parts. */
function wholeOf(joined: string): string {
  // Short ones may be inflected words: "web_pages", "webpage".
  return joined.length <= MAX_COMPOUND_CHARS ? stem(joined) : joined;
}

const MAX_COMPOUND_CHARS = 12;
const DIGIT = /\p{N}/u;
const IS_NUMBER = /^\p{N}+$/u;
const LETTER_RUNS = /\p{L}{3,}/gu;

const SENTENCE_END = /(?<=[.!?;])\s+|[\n。！？；]+/;

/** Splits a text into sentences as written, each line separately; some may contain no word. */
export function splitSentences(text: string): string[] {
  return text.split(SENTENCE_END);
}

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
