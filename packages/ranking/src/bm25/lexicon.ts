import { textOfUnits } from '../text/code-units.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { hashWord, MAX_WORD_CHARS, tokenizeWord, wholeOf } from '../text/tokenize.ts';
import { HashSlots, MAX_PROBES } from './hash-slots.ts';
import { TokenNumbers } from './token-numbers.ts';

/**
 * Remembers the tokens of every word that was read, and gives each token a number. Tool texts repeat a few thousand words
 * over and over; splitting and stemming each once is most of what makes building an index cheap.
 *
 * A hash table of its own, because it is asked for a place in a text: a `Map` would need a string of every word, which
 * costs more than all the rest of the look-up. All that is known of a word stands together in one array of numbers, its record: a look-up
 * touches two places in memory, and the garbage collector sees no objects.
 *
 * Contract: the same word always gives the same record; token numbers count up from 0 and are never reused.
 */
export class Lexicon {
  /** Records, one behind the other: see `WordRecord`. A lexicon that grows may replace it. */
  records = new Int32Array(1 << 14);
  /** The records again, by their code units. */
  #letters = new Uint16Array(this.records.buffer);
  #recordsEnd = 0;
  #wordCount = 0;
  readonly #tokenNumbers = new TokenNumbers();
  /** Records by the words' hashes. */
  readonly #slots = new HashSlots();
  /** Words that found no place near theirs: none in practice, unless somebody chooses words for their hash. */
  readonly #crowded = new Map<string, number>();

  get wordCount(): number {
    return this.#wordCount;
  }

  /** By number. Not to be changed. */
  get tokens(): readonly string[] {
    return this.#tokenNumbers.tokens;
  }

  /** The record of the word at a place among code units, given its `hashWord`: its offset in `records`. */
  recordAt(units: Uint16Array, start: number, wordEnd: number, hash: number): number {
    // What stands behind that gives no tokens.
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

  /** Takes down the tokens of a word, and says whether it is a stop word. */
  #readWord(word: string): boolean {
    const { parts, wholes } = tokenizeWord(word);
    read.count = 0;
    for (const token of parts) read.numbers[read.count++] = this.#tokenNumbers.of(token);
    read.partCount = read.count;
    for (const token of wholes) read.numbers[read.count++] = this.#tokenNumbers.of(token);
    return word.length <= MAX_STOP_WORD_CHARS && STOP_WORDS.has(word.toLowerCase());
  }

  /**
   * The same for an identifier of small letters and joiners ("get_user_by_id"), as `tokenizeWord` would give them. Such are new all the time, and their
   * parts are not: each is looked up as the word that it is.
   */
  #readIdentifier(units: Uint16Array, start: number, end: number): boolean {
    let [partCount, length] = [0, 0];
    for (let at = start; at < end; at++) {
      const first = at;
      while (at < end && isSmallLetter(units[at]!)) joined[length++] = units[at++]!;
      // A single letter says nothing by itself.
      if (at - first > 1) identifierParts[partCount++] = this.#onlyPart(units, first, at);
    }
    // Looking up a part that is new has taken down the part's.
    for (let part = 0; part < partCount; part++) read.numbers[part] = identifierParts[part]!;
    read.numbers[partCount] = this.#tokenNumbers.of(wholeOf(joined.toString('latin1', 0, length)));
    read.partCount = partCount;
    read.count = partCount + 1;
    return false;
  }

  /** The token of a word of small letters. */
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
 * What stands where in the record of a word: the word's length, the offsets in `records` at which the numbers of its parts, and behind them those of the
 * identifiers that they make up (see `tokenizeWord`), end, and whether it is a stop word; then the numbers, and then its letters.
 */
export const WORD_RECORD = { length: 0, partsEnd: 1, wholesEnd: 2, isStopWord: 3, numbers: 4 } as const;

/** The numbers of the tokens of the word that is read: those of its parts, and then those of its wholes (see `WordTokens`). Used again for the next one. */
const read: { readonly numbers: number[]; partCount: number; count: number } = {
  numbers: [],
  partCount: 0,
  count: 0,
};
const identifierParts = new Int32Array(MAX_WORD_CHARS);

const MAX_STOP_WORD_CHARS = 16;

/** The letters of an identifier without its joiners, before they are a string. */
const joined = Buffer.alloc(MAX_WORD_CHARS);

/** Whether a word is small letters and joiners. One that was cut off may end with a joiner: it is none. */
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

/** Bounds the memory. Ordinary catalogues together stay far below; texts full of ids do not. */
const MAX_WORDS = 200_000;

let shared = new Lexicon();

/** The lexicon of this thread, to be asked for anew with each build: one that has grown too large is replaced. */
export function sharedLexicon(): Lexicon {
  if (shared.wordCount >= MAX_WORDS) shared = new Lexicon();
  return shared;
}
