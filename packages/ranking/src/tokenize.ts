import { stem } from './stem.ts';
import { STOP_WORDS } from './stop-words.ts';

/**
 * The index tokens of a text, in order: Unicode words in lower case, accents folded, lightly stemmed. Identifiers give their
 * parts and then, joined, the whole (`getUser_byId` gives `get user by id getuserbyid`). Scripts written without spaces
 * give pairs of neighbouring characters.
 */
export function tokenize(text: string): string[] {
  return splitWords(text).flatMap(allTokens);
}

/** The tokens of a query: those of `tokenize` without stop words, unless there is nothing else. */
export function tokenizeQuery(query: string): string[] {
  const words = splitWords(query);
  const telling = words.filter((word) => !STOP_WORDS.has(word.toLowerCase()));
  return (telling.length > 0 ? telling : words).flatMap(allTokens);
}

function allTokens(word: string): string[] {
  const { parts, wholes } = tokenizeWord(word);
  return [...parts, ...wholes];
}

/** The words of a text, folded when it is not ASCII: runs of letters and digits, with the joiners `_ - . / :` inside. */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  forEachWord(text, (word) => words.push(word));
  return words;
}

/** Calls `visit` with each of `splitWords`. Made for long texts: one pass, one slice per word. */
export function forEachWord(text: string, visit: (word: string) => void): void {
  const source = NOT_ASCII.test(text) ? fold(text) : text;
  let start = -1;
  let end = 0;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    const kind = code < 128 ? ASCII_KIND[code]! : LETTER;
    if (kind === LETTER) {
      if (start < 0) start = at;
      end = at + 1;
    } else if (start >= 0 && (kind === BREAK || at > end)) {
      // A single joiner between two letters is inside the word; a second one in a row, or a break, ends it. Two
      // underscores join, since many gateways put them between a server's name and its tool's.
      if (code === UNDERSCORE) continue;
      visit(source.slice(start, end));
      start = -1;
    }
  }
  if (start >= 0) visit(source.slice(start, end));
}

const BREAK = 0;
const LETTER = 1;
const JOINER = 2;
const UNDERSCORE = 95;
const ASCII_KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(character)) return LETTER;
  return '_-./:'.includes(character) ? JOINER : BREAK;
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const NOT_ASCII = /[^\x00-\x7f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const FOREIGN_BREAKS = /[^\p{L}\p{M}\p{N}\x00-\x7f]+|[\u02b0-\u02ff]/gu;

/** Accents, Arabic and Hebrew vowel points, the Arabic stretcher, soft hyphens and zero-width characters. */
const SILENT_MARKS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u00ad\u200b-\u200d\ufeff]/g;

/** Letters that readers take for others and that Unicode does not decompose. */
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

/** One spelling for what readers take as the same: compatibility forms and accents; what is no letter becomes a space. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(SILENT_MARKS, '')
    .normalize('NFC')
    .replace(/[ßæœøłđðþıς]/gi, (letter) => LOOKALIKES[letter.toLowerCase()] ?? letter)
    .replace(FOREIGN_BREAKS, ' ');
}

/** A longer run of letters is data (base64, a hash), not a word; what stands behind this many is not looked at. */
const MAX_WORD_CHARS = 128;

/** Capitals end before the hump of the next word, digits belong to what is before them: getS3Object2 is get, S3, Object2. */
const PARTS = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+|\p{Lu}+/gu;

/** The tokens of one word. */
export interface WordTokens {
  readonly parts: readonly string[];
  /** For each identifier of several parts in it: all of them joined. */
  readonly wholes: readonly string[];
}

/** The tokens of one word of `splitWords`. */
export function tokenizeWord(word: string): WordTokens {
  const cut = word.slice(0, MAX_WORD_CHARS);
  const parts: string[] = [];
  const wholes: string[] = [];
  let end = 0;
  if (NOT_ASCII.test(cut)) {
    for (const run of cut.matchAll(UNSPACED)) {
      tokenizeIdentifier(cut.slice(end, run.index), parts, wholes);
      parts.push(...pairs(Array.from(run[0])));
      end = run.index + run[0].length;
    }
  }
  tokenizeIdentifier(cut.slice(end), parts, wholes);
  return { parts, wholes };
}

/** Runs of scripts that put no spaces between words, or glue endings on (Hangul). */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

function pairs(characters: readonly string[]): string[] {
  if (characters.length === 1) return [...characters];
  return characters.slice(1).map((character, index) => characters[index]! + character);
}

function tokenizeIdentifier(identifier: string, parts: string[], wholes: string[]): void {
  const pieces = identifier.match(PARTS) ?? [];
  for (const piece of pieces) {
    // A single letter beside others says nothing by itself ("x_axis"); the whole has it.
    if (piece.length === 1 && pieces.length > 1) continue;
    const lower = piece.toLowerCase();
    parts.push(stem(lower));
    if (MIXES_DIGITS.test(lower)) parts.push(...(lower.match(LETTER_RUNS) ?? []).map(stem));
  }
  // Dates and version numbers are no names.
  if (pieces.length > 1 && !pieces.every((piece) => IS_NUMBER.test(piece))) {
    wholes.push(stem(pieces.join('').toLowerCase()));
  }
}

const IS_NUMBER = /^\p{N}+$/u;
/** Letters beside digits: "base64" is also found by "base"; shorter runs ("s3", "k8s") mean nothing without their digit. */
const MIXES_DIGITS = /\p{N}\p{L}|\p{L}\p{N}/u;
const LETTER_RUNS = /\p{L}{3,}/gu;
