import { codeUnitsOf } from '../text/code-units.ts';
import { genericEnding } from '../text/generic-ending.ts';
import { findWords, tokenizeWord, WORD_PLACE } from '../text/tokenize.ts';
import { eachText, type TextField, type ToolDocument } from '../tools/tool-document.ts';
import {
  ENTRY_BITS,
  ENTRY_SHIFT,
  FIELD_BITS,
  FIELD_MASK,
  FIELD_SHIFT,
  MAX_WEIGHT,
  type TermLists,
  WEIGHT_UNITS,
} from './flat-index.ts';
import { leadEnd } from './lead-end.ts';
import { type Lexicon, sharedLexicon, WORD_RECORD } from './lexicon.ts';
import type { FieldWeights } from './parameters.ts';
import type { TermTable } from './term-table.ts';

/** The bits for a field's main parts, and for the rest of it. */
interface Field {
  readonly partBit: number;
  readonly otherBit: number;
}

const COVER_BITS = ENTRY_BITS.namePart | ENTRY_BITS.lead;

const NAME: Field = { partBit: FIELD_BITS.namePart, otherBit: FIELD_BITS.name };
const NAMESPACE: Field = { partBit: FIELD_BITS.name, otherBit: FIELD_BITS.name };
const LEAD: Field = { partBit: FIELD_BITS.lead, otherBit: FIELD_BITS.description };
const DESCRIPTION: Field = { partBit: FIELD_BITS.description, otherBit: FIELD_BITS.description };
const PARAMETERS: Field = { partBit: FIELD_BITS.parameters, otherBit: FIELD_BITS.parameters };

/** The bits of fields that do not count as description. */
const FIELDS: Partial<Record<TextField, Field>> = {
  name: NAME,
  namespace: NAMESPACE,
  parameterName: PARAMETERS,
  parameterText: PARAMETERS,
};

/**
 * The first letter after those of Latin and its accents: Greek, Cyrillic, Arabic, Chinese and all others
 * follow.
 */
const FIRST_OF_OTHER_SCRIPTS = 0x370;

/** Returns the token of a name's generic ending, if it has one. */
function genericToken(name: string): string | undefined {
  const ending = genericEnding(name);
  return ending && tokenizeWord(ending).parts[0];
}

/**
 * Gathers the weighted terms of documents, one document at a time: one entry per term of a document, in
 * growing flat arrays. Stop words count only in names, where they are rare and distinguish tools.
 */
export class TermCollector {
  readonly #terms: TermTable;
  readonly #weights: FieldWeights;
  readonly #lexicon: Lexicon = sharedLexicon();
  /**
   * Whether the table has only terms of this collector, which then meets each token of its lexicon once as
   * new.
   */
  readonly #isFirst: boolean;
  readonly #collection = scratch.begin();
  /** Number of the first entry, counted over all collections. */
  readonly #offset = scratch.entryCount;
  #entries = scratch.entries;
  #entryWeight = scratch.entryWeight;
  #entryCount = 0;
  readonly #entryStart: number[] = [0];
  readonly #lengths: number[] = [];
  #firstEntry = 0;
  #length = 0;
  #field: Field = NAME;
  #weight = 0;
  /** The token of the current name's generic ending. */
  #generic: string | undefined;

  constructor(terms: TermTable, weights: FieldWeights) {
    this.#terms = terms;
    this.#weights = weights;
    this.#isFirst = terms.size === 0;
    scratch.makeRoomForTerms(terms.size);
  }

  add(document: ToolDocument): void {
    eachText(document, this.#readText);
    this.#endDocument();
  }

  /** Returns the gathered lists. */
  finish(): TermLists {
    return {
      lengths: Uint32Array.from(this.#lengths),
      entryStart: Uint32Array.from(this.#entryStart),
      entries: this.#entries.slice(0, this.#entryCount),
      entryWeight: this.#entryWeight.slice(0, this.#entryCount),
    };
  }

  readonly #readText = (field: TextField, text: string): void => {
    if (text === '') return;
    if (field === 'name') this.#generic = genericToken(text);
    const units = codeUnitsOf(text);
    const leadsTo = field === 'description' ? leadEnd(units, 0, text.length) : 0;
    if (leadsTo > 0) this.#read(units, 0, leadsTo, LEAD, this.#weights.lead);
    // Names of parameters are English: in another script, only their texts contain the words of a query.
    const ofOtherScripts = field === 'parameterText' ? this.#weights.parameterName : undefined;
    const fieldOfRest = FIELDS[field] ?? DESCRIPTION;
    this.#read(units, leadsTo, text.length, fieldOfRest, this.#weights[field], ofOtherScripts);
    this.#generic = undefined;
  };

  /** Counts the words of a part of a text; those that are not in Latin letters may have a weight of their own. */
  #read(
    units: Uint16Array,
    start: number,
    end: number,
    field: Field,
    weight: number,
    ofOtherScripts = weight,
  ): void {
    this.#field = field;
    const [inLatin, inOthers] = [
      Math.round(weight * WEIGHT_UNITS),
      Math.round(ofOtherScripts * WEIGHT_UNITS),
    ];
    const { places, count } = findWords(units, start, end);
    for (let word = 0; word < count * WORD_PLACE.size; word += WORD_PLACE.size) {
      const [from, to] = [places[word + WORD_PLACE.start]!, places[word + WORD_PLACE.end]!];
      this.#weight = units[from]! < FIRST_OF_OTHER_SCRIPTS ? inLatin : inOthers;
      this.#countWord(this.#lexicon.recordAt(units, from, to, places[word + WORD_PLACE.hash]!));
    }
  }

  #countWord(record: number): void {
    const { records } = this.#lexicon;
    const isStopWord = records[record + WORD_RECORD.isStopWord] === 1;
    if (isStopWord && this.#field !== NAME) return;
    const { partBit, otherBit } = this.#field;
    const partsEnd = records[record + WORD_RECORD.partsEnd]!;
    const wholesEnd = records[record + WORD_RECORD.wholesEnd]!;
    const generic = this.#generic;
    for (let at = record + WORD_RECORD.numbers; at < partsEnd; at++) {
      const isOther = isStopWord || (generic !== undefined && this.#lexicon.tokens[records[at]!] === generic);
      this.#count(this.#termOf(records[at]!), isOther ? otherBit : partBit);
    }
    for (let at = partsEnd; at < wholesEnd; at++) this.#count(this.#termOf(records[at]!), otherBit);
  }

  #endDocument(): void {
    this.#putCoversFirst();
    this.#entryStart.push(this.#entryCount);
    this.#lengths.push(this.#length);
    this.#firstEntry = this.#entryCount;
    this.#length = 0;
  }

  #termOf(tokenId: number): number {
    if (scratch.collectionOfToken[tokenId] === this.#collection) return scratch.termOfToken[tokenId]!;
    const token = this.#lexicon.tokens[tokenId]!;
    const term = this.#isFirst ? this.#terms.addNew(token) : this.#terms.add(token);
    scratch.makeRoomForTokens(tokenId + 1);
    scratch.collectionOfToken[tokenId] = this.#collection;
    scratch.termOfToken[tokenId] = term;
    scratch.makeRoomForTerms(term + 1);
    return term;
  }

  #count(term: number, fieldBit: number): void {
    this.#length += this.#weight;
    let entry = scratch.entryOfTerm[term]! - this.#offset;
    if (entry < this.#firstEntry) {
      entry = this.#entryCount++;
      if (entry === this.#entries.length) this.#growEntries();
      scratch.entryOfTerm[term] = scratch.entryCount++;
      this.#entries[entry] = term << ENTRY_SHIFT;
      this.#entryWeight[entry] = 0;
    }
    if (fieldBit === FIELD_BITS.namePart) this.#entries[entry]! |= ENTRY_BITS.namePart;
    else if (fieldBit === FIELD_BITS.lead) this.#entries[entry]! |= ENTRY_BITS.lead;
    this.#entryWeight[entry] = withOccurrence(this.#entryWeight[entry]!, this.#weight, fieldBit);
  }

  /**
   * Moves the entries that can cover a name or a first sentence before the others; otherwise keeps their
   * order.
   */
  #putCoversFirst(): void {
    const [entries, weights] = [this.#entries, this.#entryWeight];
    const { others, otherWeights } = scratch.roomForOthers(this.#entryCount - this.#firstEntry);
    let otherCount = 0;
    let to = this.#firstEntry;
    for (let at = this.#firstEntry; at < this.#entryCount; at++) {
      if ((entries[at]! & COVER_BITS) === 0) {
        others[otherCount] = entries[at]!;
        otherWeights[otherCount++] = weights[at]!;
        continue;
      }
      entries[to] = entries[at]!;
      weights[to++] = weights[at]!;
    }
    for (let at = 0; at < otherCount; at++) {
      entries[to] = others[at]!;
      weights[to++] = otherWeights[at]!;
    }
  }

  #growEntries(): void {
    this.#entries = grown(this.#entries, 0);
    this.#entryWeight = grown(this.#entryWeight, 0);
    scratch.keepEntries(this.#entries, this.#entryWeight);
  }
}

/**
 * Working data of collectors by token and by term: one set per thread, never cleared. Data of another
 * collection, or from before the document's first entry, counts as unknown. Collectors must not overlap.
 */
class Scratch {
  collectionOfToken = new Uint32Array(1 << 12);
  termOfToken = new Uint32Array(1 << 12);
  /** The last entry of each term, by its number over all collections. */
  entryOfTerm = new Uint32Array(1 << 12);
  /** Entries of the current collection. */
  entries = new Uint32Array(1 << 10);
  entryWeight = new Uint32Array(1 << 10);
  /** Entries of the current document: see `#putCoversFirst`. */
  others = new Uint32Array(1 << 10);
  otherWeights = new Uint32Array(1 << 10);
  /** Starts at 1, so that 0 means no entry. */
  entryCount = 1;
  #collections = 0;

  begin(): number {
    if (this.entryCount > MAX_COUNT || this.#collections > MAX_COUNT) {
      this.collectionOfToken.fill(0);
      this.entryOfTerm.fill(0);
      this.entryCount = 1;
      this.#collections = 0;
    }
    this.#collections += 1;
    return this.#collections;
  }

  keepEntries(entries: Uint32Array<ArrayBuffer>, weights: Uint32Array<ArrayBuffer>): void {
    if (entries.length > MAX_KEPT_ENTRIES) return;
    this.entries = entries;
    this.entryWeight = weights;
  }

  roomForOthers(count: number): Pick<Scratch, 'others' | 'otherWeights'> {
    if (count > this.others.length) {
      this.others = new Uint32Array(count * 2);
      this.otherWeights = new Uint32Array(count * 2);
    }
    return this;
  }

  makeRoomForTokens(count: number): void {
    if (count <= this.termOfToken.length) return;
    this.collectionOfToken = grown(this.collectionOfToken, count);
    this.termOfToken = grown(this.termOfToken, count);
  }

  makeRoomForTerms(count: number): void {
    if (count > this.entryOfTerm.length) this.entryOfTerm = grown(this.entryOfTerm, count);
  }
}

/** Numbering restarts before it exceeds 32 bits. */
const MAX_COUNT = 2 ** 31;

/** Eight mebibytes of entries and weights; larger collections have their own arrays. */
const MAX_KEPT_ENTRIES = 2 ** 20;

const scratch = new Scratch();

function withOccurrence(packed: number, weight: number, fieldBit: number): number {
  const sum = (packed >>> FIELD_SHIFT) + weight;
  return ((Math.min(sum, MAX_WEIGHT) << FIELD_SHIFT) | (packed & FIELD_MASK) | fieldBit) >>> 0;
}

/** Returns a copy with double the length, or the required length if that is more. */
function grown(array: Uint32Array, needed: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(Math.max(array.length * 2, needed));
  larger.set(array);
  return larger;
}
