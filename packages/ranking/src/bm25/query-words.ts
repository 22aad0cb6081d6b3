import { type Equivalents, equivalentsOf, SHORT_FORMS } from '../text/equivalents.ts';
import { hashFactor, hashJoined, hashText } from '../text/hash-text.ts';
import { endsAfterStemming } from '../text/stem.ts';
import { STOP_WORDS, WEAK_WORDS } from '../text/stop-words.ts';
import { eachWord, tokenizeWord } from '../text/tokenize.ts';
import { wordVectors } from '../word-vectors/word-vectors.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * A token with what is known of it whatever the index. Within one query, there is one for each text: {@link tokenOf}
 * returns the same as long as it is recent.
 */
export class Token {
  readonly text: string;
  readonly equivalents: Equivalents | undefined;
  readonly isHan: boolean;
  /** Whether it is a pair of Chinese characters. */
  readonly isHanPair: boolean;
  /** The last list of concepts that has the token, and its place there: working values of `read-query.ts`. */
  list = 0;
  place = 0;
  readonly #hash: number;
  readonly #isAscii: boolean;
  /** Hashes and factors of its forms at the end of a stemmed word: see `endsAfterStemming`. */
  readonly #ends: readonly { readonly hash: number; readonly factor: number }[] | undefined;
  #vector: number | undefined;
  #isVectorKnown = false;

  constructor(text: string) {
    this.text = text;
    this.equivalents = equivalentsOf(text);
    this.#isAscii = IS_ASCII.test(text);
    this.isHan = !this.#isAscii && IS_HAN.test(text);
    this.isHanPair = this.isHan && HAN_PAIR.test(text);
    this.#hash = hashText(text);
    this.#ends = endsAfterStemming(text)?.map((end) => ({
      hash: hashText(end),
      factor: hashFactor(end.length),
    }));
  }

  /** The number of its word vector; undefined if it has none. */
  get vector(): number | undefined {
    if (!this.#isVectorKnown) this.#vector = wordVectors().find(this.text);
    this.#isVectorKnown = true;
    return this.#vector;
  }

  /**
   * Whether this token joined to the next one may have a short form or, stemmed, be a term: false for most that are
   * neither, without making a string.
   */
  mayJoin(next: Token, vocabulary: Vocabulary): boolean {
    if (!this.#isAscii || next.#ends === undefined) return true;
    for (const { hash, factor } of next.#ends)
      if (vocabulary.mayHave(hashJoined(this.#hash, hash, factor))) return true;
    const { hash, factor } = next.#ends[0]!;
    return SHORT_FORM_HASHES.has(hashJoined(this.#hash, hash, factor));
  }
}

const SHORT_FORM_HASHES: ReadonlySet<number> = new Set(
  Array.from(SHORT_FORMS.keys(), (joined) => hashText(joined)),
);

const IS_HAN = /^\p{Script=Han}+$/u;
const HAN_PAIR = /^\p{Script=Han}{2}$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII itself.
const IS_ASCII = /^[\x00-\x7f]*$/;

/** A word as it is written, whatever the index. */
export interface Word {
  readonly text: string;
  readonly parts: readonly Token[];
  /** The joined parts of each identifier with several parts. */
  readonly wholes: readonly string[];
  readonly isStopWord: boolean;
  readonly isWeak: boolean;
  readonly isCapitalized: boolean;
  /** Whether it is a name like MongoDB. */
  readonly isNameOfParts: boolean;
}

/** Words by their hashes, and tokens, among them all of these words. */
interface Generation {
  readonly words: Map<number, Word>;
  readonly tokens: Map<string, Token>;
}

/** Recent words: those of most queries occur again and again. Each one of the older generation that does moves on. */
let older: Generation = { words: new Map(), tokens: new Map() };
let latest: Generation = { words: new Map(), tokens: new Map() };

/** Maximum number of words, and of tokens, in a generation before the next query. */
const MOST_RECENT = 5_000;

/** Length of the words that are remembered: longer ones are mostly texts without spaces, each of its own. */
const MAX_RECENT_CHARS = 24;

/** Length from which on a part of a text refers to the whole text, and would keep it in memory. */
const MIN_SLICE_CHARS = 13;

/** Bounds the memory of words. Call it before a query is read, not in between: its tokens are compared as objects. */
export function forgetOldWords(): void {
  if (latest.words.size < MOST_RECENT && latest.tokens.size < MOST_RECENT) return;
  older = latest;
  latest = { words: new Map(), tokens: new Map() };
}

/** Returns the words of a text, in order. Makes no string for a recent one. */
export function readWords(text: string): Word[] {
  const read: Word[] = [];
  eachWord(text, (start, end) => {
    read.push(wordAt(text, start, end));
  });
  return read;
}

function wordAt(text: string, start: number, end: number): Word {
  if (end - start > MAX_RECENT_CHARS) return readWord(text.slice(start, end));
  const hash = hashText(text, start, end);
  const known = latest.words.get(hash);
  if (isAt(text, start, end, known)) return known;
  const old = older.words.get(hash);
  const word = isAt(text, start, end, old) ? old : readWord(copyOf(text, start, end));
  latest.words.set(hash, word);
  for (const part of word.parts) latest.tokens.set(part.text, part);
  return word;
}

function isAt(text: string, start: number, end: number, word: Word | undefined): word is Word {
  return word !== undefined && word.text.length === end - start && text.startsWith(word.text, start);
}

function copyOf(text: string, start: number, end: number): string {
  const slice = text.slice(start, end);
  return slice.length < MIN_SLICE_CHARS ? slice : Buffer.from(slice).toString();
}

function readWord(text: string): Word {
  const lower = text.toLowerCase();
  const isCapitalized = CAPITALIZED.test(text);
  const { parts, wholes } = tokenizeWord(text);
  return {
    text,
    parts: parts.map(tokenOf),
    wholes,
    isStopWord: STOP_WORDS.has(lower),
    isWeak: WEAK_WORDS.has(lower),
    isCapitalized,
    isNameOfParts: isCapitalized && PROPER_NAME_OF_PARTS.test(text),
  };
}

/** Returns the token of a text. */
export function tokenOf(text: string): Token {
  const known = latest.tokens.get(text);
  if (known !== undefined) return known;
  const token = older.tokens.get(text) ?? new Token(text);
  latest.tokens.set(text, token);
  return token;
}

/** MongoDB, GitHub, YouTube: capitals inside a capitalised word. */
const PROPER_NAME_OF_PARTS = /^\p{Lu}\p{Ll}+\p{Lu}\p{L}*$/u;

const CAPITALIZED = /^\p{Lu}\p{Ll}/u;
