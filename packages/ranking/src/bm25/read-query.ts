import { cutText, LIMITS } from '@winnow/core';
import { SHORT_FORMS } from '../text/equivalents.ts';
import { hashText } from '../text/hash-text.ts';
import { stem } from '../text/stem.ts';
import { splitSentences } from '../text/tokenize.ts';
import type { Bm25Parameters } from './parameters.ts';
import { forgetOldWords, readWords, type Token, tokenOf, type Word } from './query-words.ts';
import type { Vocabulary } from './vocabulary.ts';

/** One concept of a query: a word, with its equivalents in the index. Empty if there are none. */
export interface Concept {
  readonly token: Token;
  /** The term of the token itself, if the index has it. */
  readonly itself: number | undefined;
  readonly terms: readonly WeightedTerm[];
  /** Whether nearly every request has the word. */
  readonly isWeak: boolean;
}

export interface WeightedTerm {
  readonly term: number;
  readonly weight: number;
}

/** A query by its sentences; a repeated word appears in each of them, and once in `concepts`. */
export interface ReadQuery {
  readonly concepts: readonly Concept[];
  readonly clauses: readonly (readonly Concept[])[];
}

/** Reads a query in the terms of an index. */
export function readQuery(query: string, vocabulary: Vocabulary, parameters: Bm25Parameters): ReadQuery {
  forgetOldWords();
  const reader = new QueryReader(vocabulary, parameters);
  const clauses = splitSentences(cutText(query, LIMITS.keywordPatternChars))
    .map(readWords)
    .filter((words) => words.length > 0);
  const telling = clauses.filter((words) => words.some(({ isStopWord }) => !isStopWord));
  // "Who am I" consists of stop words only; then they are the query.
  const read =
    telling.length > 0
      ? telling.map((words) => reader.readClause(words))
      : clauses.map((words) => reader.readClause(words, true));
  return { concepts: read.length === 1 ? read[0]! : distinct(read.flat()), clauses: read };
}

/** Whether a sentence is written like a title, in which capitals mean nothing. */
function isTitle(words: readonly Word[]): boolean {
  let capitals = 0;
  for (let at = 1; at < words.length; at++) if (words[at]!.isCapitalized) capitals++;
  return capitals * 2 > words.length;
}

/** Keeps one concept for each token, the last one, in place of the first. */
function distinct(concepts: Concept[]): Concept[] {
  const list = ++lists;
  let count = 0;
  for (const concept of concepts) {
    const { token } = concept;
    if (token.list !== list) {
      token.list = list;
      token.place = count++;
    }
    concepts[token.place] = concept;
  }
  concepts.length = count;
  return concepts;
}

/** Number of lists of concepts so far. */
let lists = 0;

class QueryReader {
  readonly #vocabulary: Vocabulary;
  readonly #parameters: Bm25Parameters;
  #correctionsLeft = MAX_CORRECTED_WORDS;

  constructor(vocabulary: Vocabulary, parameters: Bm25Parameters) {
    this.#vocabulary = vocabulary;
    this.#parameters = parameters;
  }

  readClause(words: readonly Word[], withStopWords = false): readonly Concept[] {
    const concepts: Concept[] = [];
    let previous: Token | undefined;
    const hasNames = !isTitle(words);
    for (let at = 0; at < words.length; at++) {
      const word = words[at]!;
      if (word.isStopWord && !withStopWords) continue;
      // A word that is capitalised within a sentence is a proper name, and so not a misspelling.
      const isProperName = hasNames && at > 0 && word.isCapitalized;
      const { parts, wholes } = word;
      if (word.isNameOfParts && wholes.length === 1) {
        concepts.push(this.#nameOfParts(wholes[0]!, word));
        previous = undefined;
        continue;
      }
      for (const part of parts) {
        concepts.push(this.#conceptOf(part, word, isProperName));
        if (previous !== undefined) this.#joinInto(concepts, previous, part);
        previous = part.isHan ? undefined : part;
      }
      for (const whole of wholes) this.#addKnown(concepts, whole);
    }
    return distinct(concepts);
  }

  #conceptOf(token: Token, word: Word, isProperName: boolean): Concept {
    const itself = this.#vocabulary.find(token.text);
    const known = this.#termsOf(token, itself, word);
    const terms = known.length > 0 ? known : this.#likelyTerms(token.text, isProperName);
    return { token, itself, terms, isWeak: word.isWeak };
  }

  /** Returns the terms of a token and of its equivalents. */
  #termsOf(token: Token, itself: number | undefined, word: Word): readonly WeightedTerm[] {
    const own = itself === undefined ? NO_TERMS : [{ term: itself, weight: this.#weightOf(token, word) }];
    const { equivalents } = token;
    if (equivalents === undefined) return own;
    const { abbreviation, synonym, kind } = this.#parameters;
    let count = this.#findPresent(equivalents.forms, abbreviation, 0);
    count = this.#findPresent(equivalents.synonyms, synonym, count);
    count = this.#findPresent(equivalents.kinds, kind, count);
    return count === 0 ? own : own.concat(present.slice(0, count));
  }

  /** Puts the tokens that the index has behind the first ones in `present`, and returns their new number. */
  #findPresent(tokens: readonly string[], weight: number, before: number): number {
    let count = before;
    for (const token of tokens) {
      const term = this.#vocabulary.find(token);
      if (term !== undefined) present[count++] = { term, weight };
    }
    return count;
  }

  /** Returns the terms for a token that the index has in no form. */
  #likelyTerms(token: string, isProperName: boolean): readonly WeightedTerm[] {
    const halves = this.#halvesOf(token);
    return halves.length > 0 || isProperName ? halves : this.#correctionsOf(token);
  }

  /** Returns the concept of a name like MongoDB: its parts alone must not outweigh the other words. */
  #nameOfParts(whole: string, word: Word): Concept {
    const token = tokenOf(whole);
    const itself = this.#vocabulary.find(whole);
    const terms = word.parts.flatMap((part) => this.#conceptOf(part, word, true).terms);
    if (itself !== undefined) terms.unshift({ term: itself, weight: 1 });
    return { token, itself, terms, isWeak: false };
  }

  /** Adds the compound of two consecutive words, and their short form, if the index has them. */
  #joinInto(concepts: Concept[], first: Token, second: Token): void {
    if (!first.mayJoin(second, this.#vocabulary)) return;
    const joined = first.text + second.text;
    this.#addKnown(concepts, joined);
    const short = SHORT_FORMS.get(joined);
    if (short !== undefined) this.#addConcept(concepts, `(${joined})`, short, this.#parameters.abbreviation);
  }

  #addKnown(concepts: Concept[], joined: string): void {
    this.#addConcept(concepts, joined, stem(joined), this.#parameters.compound);
  }

  /** Adds a concept of one term, if the index has it. */
  #addConcept(concepts: Concept[], token: string, text: string, weight: number): void {
    const term = this.#vocabulary.find(text);
    if (term === undefined) return;
    const itself = this.#vocabulary.find(token);
    concepts.push({ token: tokenOf(token), itself, terms: [{ term, weight }], isWeak: false });
  }

  #weightOf({ text, isHan }: Token, { isWeak }: Word): number {
    // Each of the two characters counts by itself, too.
    if (isHan && text.length === 2) return this.#parameters.compound;
    return isWeak ? this.#parameters.weakWord : 1;
  }

  /** Returns the two known words that form a compound. */
  #halvesOf(token: string): WeightedTerm[] {
    for (let cut = MIN_HALF_CHARS; cut <= token.length - MIN_HALF_CHARS; cut++) {
      if (!this.#vocabulary.mayHave(hashText(token, cut))) continue;
      const right = this.#vocabulary.find(token.slice(cut));
      const left = right === undefined ? undefined : this.#vocabulary.find(stem(token.slice(0, cut)));
      if (left !== undefined && right !== undefined) {
        return [left, right].map((term) => ({ term, weight: this.#parameters.compound }));
      }
    }
    return [];
  }

  #correctionsOf(token: string): WeightedTerm[] {
    if (this.#correctionsLeft === 0) return [];
    this.#correctionsLeft -= 1;
    return this.#vocabulary.nearest(token).map(({ term, distance }) => ({
      term,
      weight: this.#parameters.correction * (distance <= 1 ? 1 : this.#parameters.correction),
    }));
  }
}

const NO_TERMS: readonly WeightedTerm[] = [];

/** Working array: the equivalents of a token that the index has. */
const present: WeightedTerm[] = [];

const MIN_HALF_CHARS = 3;
/**
 * Limit on corrected words: each is compared with every term, and people misspell a few words, not hundreds.
 */
const MAX_CORRECTED_WORDS = 16;

/** Returns the words of a query, as written, that the index lacks in any form, each once. */
export function unknownWords(query: string, { concepts }: ReadQuery): string[] {
  const isKnown = new Map(concepts.map(({ token, terms }) => [token.text, terms.length > 0]));
  const unknown = readWords(cutText(query, LIMITS.keywordPatternChars)).filter(
    ({ parts }) => parts.length > 0 && parts.every(({ text }) => isKnown.get(text) === false),
  );
  return [...new Map(unknown.map(({ text }) => [text.toLowerCase(), text])).values()];
}

/** Reads a query that matched no term again: by terms with the same beginning, otherwise by similar terms. */
export function readLoosely(query: ReadQuery, vocabulary: Vocabulary): ReadQuery {
  const asked = query.concepts.slice(0, MAX_LOOSE_WORDS);
  for (const resort of [termsWithPrefix, similarTerms]) {
    const concepts = asked.map(({ token, itself }) => {
      return { token, itself, terms: resort(token.text, vocabulary), isWeak: false };
    });
    if (concepts.some(({ terms }) => terms.length > 0)) return { concepts, clauses: [concepts] };
  }
  return { concepts: [], clauses: [] };
}

function termsWithPrefix(token: string, vocabulary: Vocabulary): WeightedTerm[] {
  const isTooShort = token.length < MIN_PREFIX_CHARS && IS_ASCII_WORD.test(token);
  return isTooShort ? [] : vocabulary.withPrefix(token).map((term) => ({ term, weight: 1 }));
}

function similarTerms(token: string, vocabulary: Vocabulary): WeightedTerm[] {
  if (token.length < MIN_SIMILAR_CHARS) return [];
  return vocabulary.similar(token).map(({ term, similarity }) => ({ term, weight: similarity }));
}

/**
 * Limit on loosely matched words: each is compared with every term. A longer text without any known word is
 * noise.
 */
const MAX_LOOSE_WORDS = 6;
const MIN_PREFIX_CHARS = 3;
const MIN_SIMILAR_CHARS = 4;
const IS_ASCII_WORD = /^[a-z0-9]+$/;
