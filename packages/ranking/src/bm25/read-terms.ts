import { genericEnding } from '../text/generic-ending.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { eachWord, MAX_WORD_CHARS, tokenizeWord } from '../text/tokenize.ts';
import { eachText, type TextField, type ToolDocument } from '../tools/tool-document.ts';
import type { FieldWeights } from './parameters.ts';
import {
  ENTRY_BITS,
  ENTRY_SHIFT,
  FIELD_BITS,
  FIELD_MASK,
  FIELD_SHIFT,
  MAX_WEIGHT,
  WEIGHT_UNITS,
} from './postings.ts';
import type { TermTable } from './terms.ts';

/** A document as terms: its length, its entries, and the posting of each entry. */
export interface DocumentTerms {
  readonly length: number;
  readonly entries: Uint32Array;
  readonly postings: readonly number[];
}

/** The bits for a field's main parts, and for the rest of it. */
interface Field {
  readonly partBit: number;
  readonly otherBit: number;
}

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

/**
 * Reads the weighted terms of documents, one after another, and adds new terms to a table. Stop words count only
 * in names, where they are rare and distinguish tools.
 */
export class TermReader {
  readonly #terms: TermTable;
  readonly #weights: FieldWeights;
  readonly #words = new Map<string, TermsOfWord>();
  #length = 0;
  /** The terms of the document, in order of first occurrence. */
  #found: number[] = [];
  /** By term: its posting in the document; 0 or missing for none. */
  readonly #postings: number[] = [];
  #field: Field = NAME;
  #weight = 0;
  /** The term of the current name's generic ending. */
  #generic: number | undefined;

  constructor(terms: TermTable, weights: FieldWeights) {
    this.#terms = terms;
    this.#weights = weights;
  }

  read(document: ToolDocument): DocumentTerms {
    this.#length = 0;
    this.#found = [];
    eachText(document, this.#readText);
    return this.#finish();
  }

  #finish(): DocumentTerms {
    const entries = new Uint32Array(this.#found.length);
    const postings: number[] = [];
    for (const isCovering of [true, false]) {
      for (const term of this.#found) {
        const posting = this.#postings[term]!;
        const bits =
          (posting & FIELD_BITS.namePart ? ENTRY_BITS.namePart : 0) |
          (posting & FIELD_BITS.lead ? ENTRY_BITS.lead : 0);
        if ((bits !== 0) === isCovering) entries[postings.push(posting) - 1] = (term << ENTRY_SHIFT) | bits;
      }
    }
    for (const term of this.#found) this.#postings[term] = 0;
    return { length: this.#length, entries, postings };
  }

  readonly #readText = (field: TextField, text: string): void => {
    if (text === '') return;
    if (field === 'name') this.#generic = this.#genericTerm(text);
    const leadsTo = field === 'description' ? leadEnd(text) : 0;
    if (leadsTo > 0) this.#read(text.slice(0, leadsTo), LEAD, this.#weights.lead);
    // Names of parameters are English: in another script, only their texts contain the words of a query.
    const ofOtherScripts = field === 'parameterText' ? this.#weights.parameterName : undefined;
    const fieldOfRest = FIELDS[field] ?? DESCRIPTION;
    const rest = leadsTo === 0 ? text : text.slice(leadsTo);
    this.#read(rest, fieldOfRest, this.#weights[field], ofOtherScripts);
    this.#generic = undefined;
  };

  /** Returns the term of a name's generic ending, if it has one. */
  #genericTerm(name: string): number | undefined {
    const ending = genericEnding(name);
    const token = ending && tokenizeWord(ending).parts[0];
    return token === undefined ? undefined : this.#terms.add(token);
  }

  /** Counts the words of a text; those that are not in Latin letters may have a weight of their own. */
  #read(text: string, field: Field, weight: number, ofOtherScripts = weight): void {
    this.#field = field;
    const inLatin = Math.round(weight * WEIGHT_UNITS);
    const inOthers = Math.round(ofOtherScripts * WEIGHT_UNITS);
    eachWord(text, (start, end) => {
      this.#weight = text.charCodeAt(start) < FIRST_OF_OTHER_SCRIPTS ? inLatin : inOthers;
      const word = text.slice(start, Math.min(end, start + MAX_WORD_CHARS));
      this.#countWord(this.#words.get(word) ?? this.#addWord(word));
    });
  }

  #addWord(text: string): TermsOfWord {
    const { parts, wholes, isStopWord } = wordOf(text);
    const add = (token: string) => this.#terms.add(token);
    const word = { parts: parts.map(add), wholes: wholes.map(add), isStopWord };
    this.#words.set(text, word);
    return word;
  }

  #countWord({ parts, wholes, isStopWord }: TermsOfWord): void {
    if (isStopWord && this.#field !== NAME) return;
    const { partBit, otherBit } = this.#field;
    for (let at = 0; at < parts.length; at++) {
      const isOther = isStopWord || parts[at] === this.#generic;
      this.#count(parts[at]!, isOther ? otherBit : partBit);
    }
    for (let at = 0; at < wholes.length; at++) this.#count(wholes[at]!, otherBit);
  }

  #count(term: number, fieldBit: number): void {
    this.#length += this.#weight;
    while (term >= this.#postings.length) this.#postings.push(0);
    const known = this.#postings[term]!;
    if (known === 0) this.#found.push(term);
    const weight = Math.min((known >>> FIELD_SHIFT) + this.#weight, MAX_WEIGHT);
    this.#postings[term] = ((weight << FIELD_SHIFT) | (known & FIELD_MASK) | fieldBit) >>> 0;
  }
}

/** The terms of a word, and whether it is a stop word. */
interface TermsOfWord {
  readonly parts: readonly number[];
  readonly wholes: readonly number[];
  readonly isStopWord: boolean;
}

/** Maximum length of a first sentence, in UTF-16 code units; a text without full stops has none. */
const MAX_LEAD_CHARS = 400;

const SENTENCE_END = /(?<=.)\n|(?<=[.!?]) |(?<=.)。/s;

/**
 * Returns the end of a description's first sentence. Deliberately coarse and cheap, because it runs for every
 * tool; an "e.g." that ends the sentence early only moves some words to the lower weight.
 */
export function leadEnd(text: string): number {
  const end = SENTENCE_END.exec(text.slice(0, MAX_LEAD_CHARS));
  if (end === null) return text.length;
  return end[0] === '。' ? end.index + 1 : end.index;
}

/** The tokens of a word, and whether it is a stop word. */
interface Word {
  readonly parts: readonly string[];
  readonly wholes: readonly string[];
  readonly isStopWord: boolean;
}

/** Tokens of words: tool texts repeat a few thousand words, and splitting and stemming costs the most. */
const words = new Map<string, Word>();

/** Bounds the memory. All ordinary catalogues together stay far below; texts full of ids do not. */
const MAX_WORDS = 200_000;

const MAX_STOP_WORD_CHARS = 16;

function wordOf(text: string): Word {
  const known = words.get(text);
  if (known !== undefined) return known;
  const word = {
    ...tokenizeWord(text),
    isStopWord: text.length <= MAX_STOP_WORD_CHARS && STOP_WORDS.has(text.toLowerCase()),
  };
  if (words.size >= MAX_WORDS) words.clear();
  // A copy: a slice may keep the whole text in memory.
  words.set(Buffer.from(text).toString(), word);
  return word;
}
