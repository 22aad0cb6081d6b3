import { STOP_WORDS } from '../stop-words.ts';
import { MAX_WORD_CHARS, tokenizeWord } from '../tokenize.ts';

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
  readonly tokens: string[] = [];
  /** Records, one behind the other: see `WordRecord`. A lexicon that grows may replace it. */
  records = new Int32Array(1 << 14);
  /** The records again, by their code units. */
  #letters = new Uint16Array(this.records.buffer);
  #recordsEnd = 0;
  #wordCount = 0;
  readonly #idByToken = new Map<string, number>();
  /**
   * Open addressing with linear probing: for each slot the hash of a word, and its record plus 1, or 0. The number of slots is a
   * power of two, of which at most half are used.
   */
  #slots = new Int32Array(1 << 15);

  /** Words that found no place near theirs: none in practice, unless somebody chooses words for their hash. */
  readonly #crowded = new Map<string, number>();

  get wordCount(): number {
    return this.#wordCount;
  }

  /** The record of the word at a place in a text, given its hash by `forEachWord`: its offset in `records`. */
  recordAt(source: string, start: number, wordEnd: number, hash: number): number {
    // What stands behind that gives no tokens.
    const end = Math.min(wordEnd, start + MAX_WORD_CHARS);
    const mask = this.#slots.length - 1;
    let slot = (spread(hash) * 2) & mask;
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const record = this.#slots[slot + 1]! - 1;
      if (record < 0) return this.#add(source.slice(start, end), hash, slot);
      if (this.#slots[slot] === hash && this.#isAt(record, source, start, end)) return record;
      slot = (slot + 2) & mask;
    }
    return this.#crowdedRecord(source.slice(start, end));
  }

  #crowdedRecord(word: string): number {
    const known = this.#crowded.get(word);
    if (known !== undefined) return known;
    const record = this.#write(word);
    this.#crowded.set(word, record);
    return record;
  }

  #add(word: string, hash: number, slot: number): number {
    const record = this.#write(word);
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = record + 1;
    if (this.#wordCount * 4 > this.#slots.length) this.#grow();
    return record;
  }

  #write(word: string): number {
    const { parts, wholes } = tokenizeWord(word);
    const record = this.#recordsEnd;
    const lettersStart = record + WORD_RECORD.ids + parts.length + wholes.length;
    this.#recordsEnd = lettersStart + ((word.length + 1) >> 1);
    this.#makeRoom();
    const isStopWord = word.length <= MAX_STOP_WORD_CHARS && STOP_WORDS.has(word.toLowerCase());
    this.records[record + WORD_RECORD.length] = word.length;
    this.records[record + WORD_RECORD.partsEnd] = record + WORD_RECORD.ids + parts.length;
    this.records[record + WORD_RECORD.wholesEnd] = lettersStart;
    this.records[record + WORD_RECORD.isStopWord] = isStopWord ? 1 : 0;
    let at = record + WORD_RECORD.ids;
    for (const token of parts) this.records[at++] = this.#idOf(token);
    for (const token of wholes) this.records[at++] = this.#idOf(token);
    for (let letter = 0; letter < word.length; letter++)
      this.#letters[lettersStart * 2 + letter] = word.charCodeAt(letter);
    this.#wordCount++;
    return record;
  }

  #isAt(record: number, source: string, start: number, end: number): boolean {
    const length = end - start;
    if (this.records[record + WORD_RECORD.length] !== length) return false;
    const letters = this.records[record + WORD_RECORD.wholesEnd]! * 2;
    for (let at = 0; at < length; at++) {
      if (this.#letters[letters + at] !== source.charCodeAt(start + at)) return false;
    }
    return true;
  }

  #idOf(token: string): number {
    const known = this.#idByToken.get(token);
    if (known !== undefined) return known;
    this.#idByToken.set(token, this.tokens.length);
    return this.tokens.push(token) - 1;
  }

  #makeRoom(): void {
    if (this.#recordsEnd <= this.records.length) return;
    const larger = new Int32Array(Math.max(this.records.length * 2, this.#recordsEnd));
    larger.set(this.records);
    this.records = larger;
    this.#letters = new Uint16Array(larger.buffer);
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    const mask = this.#slots.length - 1;
    for (let oldSlot = 0; oldSlot < old.length; oldSlot += 2) {
      if (old[oldSlot + 1] === 0) continue;
      let slot = (spread(old[oldSlot]!) * 2) & mask;
      // Should this end beyond MAX_PROBES, the word is read once more, with the same result.
      while (this.#slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      this.#slots[slot] = old[oldSlot]!;
      this.#slots[slot + 1] = old[oldSlot + 1]!;
    }
  }
}

/**
 * What stands where in the record of a word: the word's length, the offsets in `records` at which the numbers of its parts, and behind them those of the
 * identifiers that they make up (see `tokenizeWord`), end, and whether it is a stop word; then the numbers, and then its letters.
 */
export const WORD_RECORD = { length: 0, partsEnd: 1, wholesEnd: 2, isStopWord: 3, ids: 4 } as const;

const MAX_STOP_WORD_CHARS = 16;

/** Far more than half-full tables need. */
const MAX_PROBES = 64;

/** Spreads the hash of a short word, which differs in its low bits only. */
function spread(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 12;
}

/** Bounds the memory. Ordinary catalogues together stay far below; texts full of ids do not. */
const MAX_WORDS = 200_000;

let shared = new Lexicon();

/** The lexicon of this thread, to be asked for anew with each build: one that has grown too large is replaced. */
export function sharedLexicon(): Lexicon {
  if (shared.wordCount >= MAX_WORDS) shared = new Lexicon();
  return shared;
}
