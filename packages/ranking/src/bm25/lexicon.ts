import { textOfUnits } from '../text/code-units.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { hashWord, MAX_WORD_CHARS, tokenizeWord, wholeOf } from '../text/tokenize.ts';
import { HashSlots, MAX_PROBES } from './hash-slots.ts';
import { TokenNumbers } from './token-numbers.ts';

/**
 * Caches the tokens of every word and numbers the tokens. Tool texts repeat a few thousand words; splitting
 * and stemming each of them only once makes building an index cheap.
 *
 * It is a custom hash table with lookups by position in a text: a `Map` would need a string per word, which
 * costs more than the rest of the lookup. All data of a word is in one array of numbers, its record: a lookup
 * touches two places in memory, and the garbage collector sees no objects.
 *
 * Contract: the same word always has the same record; token numbers count up from 0 and are never reused.
 */
export class Lexicon {
  /** Concatenated records: see `WORD_RECORD`. A growing lexicon may replace the array. */
  records = new Int32Array(1 << 14);
  /** The records as code units. */
  #letters = new Uint16Array(this.records.buffer);
  #recordsEnd = 0;
  #wordCount = 0;
  readonly #tokenNumbers = new TokenNumbers();
  /** Records by word hash. */
  readonly #slots = new HashSlots();
  /** Words without a free slot nearby: only words constructed to collide. */
  readonly #crowded = new Map<string, number>();

  get wordCount(): number {
    return this.#wordCount;
  }

  /** Tokens by number. Callers must not change them. */
  get tokens(): readonly string[] {
    return this.#tokenNumbers.tokens;
  }

  /**
   * Returns the record of the word at a position in code units, given its `hashWord`: an offset in `records`.
   */
  recordAt(units: Uint16Array, start: number, wordEnd: number, hash: number): number {
    // Longer words are cut; the rest gives no tokens.
    const end = Math.min(wordEnd, start + MAX_WORD_CHARS);
    let slot = this.#slots.first(hash);
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const record = this.#slots.numberAt(slot);
      if (record < 0) return this.#add(units, start, end, hash);
      if (this.#slots.hashAt(slot) === hash && this.#isAt(record, units, start, end)) return record;
      slot = this.#slots.next(slot);
    }
    return this.#crowdedRecord(units, start, end);
  }

  #crowdedRecord(units: Uint16Array, start: number, end: number): number {
    const word = textOfUnits(units, start, end);
    const known = this.#crowded.get(word);
    if (known !== undefined) return known;
    const record = this.#write(units, start, end);
    this.#crowded.set(word, record);
    return record;
  }

  #add(units: Uint16Array, start: number, end: number, hash: number): number {
    const record = this.#write(units, start, end);
    this.#slots.add(hash, record);
    return record;
  }

  #write(units: Uint16Array, start: number, end: number): number {
    const isStopWord = isPlainIdentifier(units, start, end)
      ? this.#readIdentifier(units, start, end)
      : this.#readWord(textOfUnits(units, start, end));
    const length = end - start;
    const record = this.#recordsEnd;
    const partsEnd = record + WORD_RECORD.numbers + read.partCount;
    const wholesEnd = record + WORD_RECORD.numbers + read.count;
    this.#recordsEnd = wholesEnd + ((length + 1) >> 1);
    this.#makeRoom();
    this.records[record + WORD_RECORD.length] = length;
    this.records[record + WORD_RECORD.partsEnd] = partsEnd;
    this.records[record + WORD_RECORD.wholesEnd] = wholesEnd;
    this.records[record + WORD_RECORD.isStopWord] = isStopWord ? 1 : 0;
    for (let token = 0; token < read.count; token++)
      this.records[record + WORD_RECORD.numbers + token] = read.numbers[token]!;
    for (let letter = 0; letter < length; letter++)
      this.#letters[wholesEnd * 2 + letter] = units[start + letter]!;
    this.#wordCount++;
    return record;
  }

  /** Records the tokens of a word; returns whether it is a stop word. */
  #readWord(word: string): boolean {
    const { parts, wholes } = tokenizeWord(word);
    read.count = 0;
    for (const token of parts) read.numbers[read.count++] = this.#tokenNumbers.of(token);
    read.partCount = read.count;
    for (const token of wholes) read.numbers[read.count++] = this.#tokenNumbers.of(token);
    return word.length <= MAX_STOP_WORD_CHARS && STOP_WORDS.has(word.toLowerCase());
  }

  /**
   * Records an identifier of lower-case letters and joiners ("get_user_by_id"), like `tokenizeWord`.
   * Identifiers are often new while their parts are not, so each part is looked up as a word.
   */
  #readIdentifier(units: Uint16Array, start: number, end: number): boolean {
    let [partCount, length] = [0, 0];
    for (let at = start; at < end; at++) {
      const first = at;
      while (at < end && isSmallLetter(units[at]!)) joined[length++] = units[at++]!;
      // A single letter carries no meaning.
      if (at - first > 1) identifierParts[partCount++] = this.#onlyPart(units, first, at);
    }
    // Looking up new parts has overwritten `read`.
    for (let part = 0; part < partCount; part++) read.numbers[part] = identifierParts[part]!;
    read.numbers[partCount] = this.#tokenNumbers.of(wholeOf(joined.toString('latin1', 0, length)));
    read.partCount = partCount;
    read.count = partCount + 1;
    return false;
  }

  /** Returns the token of a lower-case word. */
  #onlyPart(units: Uint16Array, start: number, end: number): number {
    const record = this.recordAt(units, start, end, hashWord(units, start, end));
    return this.records[record + WORD_RECORD.numbers]!;
  }

  #isAt(record: number, units: Uint16Array, start: number, end: number): boolean {
    const length = end - start;
    if (this.records[record + WORD_RECORD.length] !== length) return false;
    const letters = this.records[record + WORD_RECORD.wholesEnd]! * 2;
    for (let at = 0; at < length; at++) {
      if (this.#letters[letters + at] !== units[start + at]) return false;
    }
    return true;
  }

  #makeRoom(): void {
    if (this.#recordsEnd <= this.records.length) return;
    const larger = new Int32Array(Math.max(this.records.length * 2, this.#recordsEnd));
    larger.set(this.records);
    this.records = larger;
    this.#letters = new Uint16Array(larger.buffer);
  }
}

/**
 * Layout of a word's record: the word's length, the end offsets in `records` of the numbers of its parts and
 * of the identifiers they form (see `tokenizeWord`), and whether it is a stop word; followed by the numbers
 * and the letters.
 */
export const WORD_RECORD = { length: 0, partsEnd: 1, wholesEnd: 2, isStopWord: 3, numbers: 4 } as const;

/**
 * Token numbers of the current word: its parts, followed by its wholes (see `WordTokens`). Reused for every
 * word.
 */
const read: { readonly numbers: number[]; partCount: number; count: number } = {
  numbers: [],
  partCount: 0,
  count: 0,
};
const identifierParts = new Int32Array(MAX_WORD_CHARS);

const MAX_STOP_WORD_CHARS = 16;

/** The letters of an identifier without its joiners, before they become a string. */
const joined = Buffer.alloc(MAX_WORD_CHARS);

/**
 * Whether a word consists of lower-case letters and joiners. A truncated word that ends with a joiner does
 * not count.
 */
function isPlainIdentifier(units: Uint16Array, start: number, end: number): boolean {
  if (!isSmallLetter(units[end - 1]!)) return false;
  let hasJoiner = false;
  for (let at = start; at < end; at++) {
    if (isSmallLetter(units[at]!)) continue;
    if (!JOINER_CODES.has(units[at]!)) return false;
    hasJoiner = true;
  }
  return hasJoiner;
}

const JOINER_CODES: ReadonlySet<number> = new Set(Array.from('_-./:', (joiner) => joiner.charCodeAt(0)));

function isSmallLetter(code: number): boolean {
  return code >= 97 && code <= 122;
}

/** Bounds the memory. All ordinary catalogues together stay far below; texts full of ids do not. */
const MAX_WORDS = 200_000;

let shared = new Lexicon();

/** Returns the lexicon of this thread. Call it for each build: an oversized lexicon is replaced. */
export function sharedLexicon(): Lexicon {
  if (shared.wordCount >= MAX_WORDS) shared = new Lexicon();
  return shared;
}
