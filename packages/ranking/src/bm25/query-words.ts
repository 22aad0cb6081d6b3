import { type Equivalents, equivalentsOf } from '../text/equivalents.ts';
import { hashFactor, hashJoined, hashText } from '../text/hash-text.ts';
import { staysAtEnd } from '../text/stem.ts';
import { STOP_WORDS, WEAK_WORDS } from '../text/stop-words.ts';
import { eachWord, tokenizeWord } from '../text/tokenize.ts';
import { wordVectors } from '../word-vectors/word-vectors.ts';

/** A token with what is known of it whatever the index. Within one query, there is one for each text. */
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
  readonly #hashFactor: number;
  readonly #isAscii: boolean;
  readonly #staysAtEnd: boolean;
  #vector: number | undefined;
  #isVectorKnown = false;

  constructor(text: string) {
    this.text = text;
    this.equivalents = equivalentsOf(text);
    this.isHan = IS_HAN.test(text);
    this.isHanPair = this.isHan && HAN_PAIR.test(text);
    this.#hash = hashText(text);
    this.#hashFactor = hashFactor(text.length);
    this.#isAscii = IS_ASCII.test(text);
    this.#staysAtEnd = staysAtEnd(text);
  }

  /** The number of its word vector; undefined if it has none. */
  get vector(): number | undefined {
    if (!this.#isVectorKnown) this.#vector = wordVectors().find(this.text);
    this.#isVectorKnown = true;
    return this.#vector;
  }

  /** Returns the hash of the stem of this token joined to the next one; undefined if only stemming can tell. */
  hashJoinedTo(next: Token): number | undefined {
    if (!this.#isAscii || !next.#staysAtEnd) return undefined;
    return hashJoined(this.#hash, next.#hash, next.#hashFactor);
  }
}

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

/** Recent words by their hashes, and recent tokens: those of most queries occur again and again. */
const words = new Map<number, Word>();
const tokens = new Map<string, Token>();
const MAX_RECENT = 10_000;

/** Length of the words that are remembered: longer ones are mostly texts without spaces, each of its own. */
const MAX_RECENT_CHARS = 24;

/** Bounds the memory of words. Call it before a query is read, never in between: its tokens are compared as objects. */
export function forgetOldWords(): void {
  if (words.size < MAX_RECENT && tokens.size < MAX_RECENT) return;
  words.clear();
  tokens.clear();
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
  const known = words.get(hash);
  if (known !== undefined && known.text.length === end - start && text.startsWith(known.text, start))
    return known;
  // A copy: a slice may keep the whole text in memory.
  const word = readWord(Buffer.from(text.slice(start, end)).toString());
  words.set(hash, word);
  return word;
}

function readWord(text: string): Word {
  const lower = text.toLowerCase();
  const { parts, wholes } = tokenizeWord(text);
  return {
    text,
    parts: parts.map(tokenOf),
    wholes,
    isStopWord: STOP_WORDS.has(lower),
    isWeak: WEAK_WORDS.has(lower),
    isCapitalized: CAPITALIZED.test(text),
    isNameOfParts: PROPER_NAME_OF_PARTS.test(text),
  };
}

/** Returns the token of a text. */
export function tokenOf(text: string): Token {
  const known = tokens.get(text);
  if (known !== undefined) return known;
  const token = new Token(text);
  tokens.set(text, token);
  return token;
}

/** MongoDB, GitHub, YouTube: capitals inside a capitalised word. */
const PROPER_NAME_OF_PARTS = /^\p{Lu}\p{Ll}+\p{Lu}\p{L}*$/u;

const CAPITALIZED = /^\p{Lu}\p{Ll}/u;
