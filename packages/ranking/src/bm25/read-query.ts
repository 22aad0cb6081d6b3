import { cutText, LIMITS } from '@winnow/core';
import { stem } from '../text/stem.ts';
import { STOP_WORDS, WEAK_WORDS } from '../text/stop-words.ts';
import { ABBREVIATIONS, KINDS, SYNONYM_GROUPS } from '../text/synonyms.ts';
import { splitSentences, splitWords, tokenizeWord, type WordTokens } from '../text/tokenize.ts';
import type { Bm25Parameters } from './parameters.ts';
import type { Vocabulary } from './vocabulary.ts';

/** One concept of a query: a word, with its equivalents in the index. Empty if there are none. */
export interface Concept {
  readonly token: string;
  readonly terms: readonly WeightedTerm[];
  /** Whether nearly every request has the word. */
  readonly isWeak?: boolean;
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
  const reader = new QueryReader(vocabulary, parameters);
  const clauses = splitSentences(cutText(query, LIMITS.keywordPatternChars))
    .map(wordsOf)
    .filter((words) => words.length > 0);
  const telling = clauses.filter((words) => words.some(({ isStopWord }) => !isStopWord));
  // "Who am I" consists of stop words only; then they are the query.
  const read =
    telling.length > 0
      ? telling.map((words) => reader.readClause(words))
      : clauses.map((words) => reader.readClause(words, true));
  return { concepts: read.length === 1 ? read[0]! : distinct(read.flat()), clauses: read };
}

/** A word as it is written, whatever the index. */
interface Word extends WordTokens {
  readonly text: string;
  readonly isStopWord: boolean;
  readonly isWeak: boolean;
  readonly isCapitalized: boolean;
  /** Whether it is a name like MongoDB. */
  readonly isNameOfParts: boolean;
}

/** Recent words: those of most queries occur again and again. */
const recent = new Map<string, Word>();
const MAX_RECENT = 10_000;

/** Length of the words that are remembered: a longer one may keep the whole query in memory, of which it is a part. */
const MAX_RECENT_CHARS = 12;

function readWord(text: string): Word {
  const known = recent.get(text);
  if (known !== undefined) return known;
  const lower = text.toLowerCase();
  const word = {
    ...{ text, ...tokenizeWord(text) },
    isStopWord: STOP_WORDS.has(lower),
    isWeak: WEAK_WORDS.has(lower),
    isCapitalized: CAPITALIZED.test(text),
    isNameOfParts: PROPER_NAME_OF_PARTS.test(text),
  };
  if (text.length > MAX_RECENT_CHARS) return word;
  if (recent.size >= MAX_RECENT) recent.clear();
  recent.set(text, word);
  return word;
}

function wordsOf(text: string): Word[] {
  return splitWords(text).map(readWord);
}

/** Whether a sentence is written like a title, in which capitals mean nothing. */
function isTitle(words: readonly Word[]): boolean {
  let capitals = 0;
  for (let at = 1; at < words.length; at++) if (words[at]!.isCapitalized) capitals++;
  return capitals * 2 > words.length;
}

/** MongoDB, GitHub, YouTube: capitals inside a capitalised word. */
const PROPER_NAME_OF_PARTS = /^\p{Lu}\p{Ll}+\p{Lu}\p{L}*$/u;

const CAPITALIZED = /^\p{Lu}\p{Ll}/u;

function distinct(concepts: readonly Concept[]): readonly Concept[] {
  const byToken = new Map<string, Concept>();
  for (const concept of concepts) byToken.set(concept.token, concept);
  return byToken.size === concepts.length ? concepts : [...byToken.values()];
}

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
    let previous: string | undefined;
    const hasNames = !isTitle(words);
    for (let at = 0; at < words.length; at++) {
      const word = words[at]!;
      if (word.isStopWord && !withStopWords) continue;
      // A word that is capitalised within a sentence is a proper name, and so not a misspelling.
      const isProperName = hasNames && at > 0 && word.isCapitalized;
      const { parts, wholes, isWeak } = word;
      if (word.isNameOfParts && wholes.length === 1) {
        concepts.push(this.#nameOfParts(wholes[0]!, word));
        previous = undefined;
        continue;
      }
      for (const part of parts) {
        concepts.push({ token: part, terms: this.#termsFor(part, word, isProperName), isWeak });
        if (previous !== undefined) this.#joinInto(concepts, previous + part);
        previous = IS_HAN.test(part) ? undefined : part;
      }
      for (const whole of wholes) this.#addKnown(concepts, whole);
    }
    return distinct(concepts);
  }

  /** Returns the concept of a name like MongoDB: its parts alone must not outweigh the other words. */
  #nameOfParts(whole: string, word: Word): Concept {
    const terms = word.parts.flatMap((part) => this.#termsFor(part, word, true));
    return { token: whole, terms: [...this.#present([whole], 1), ...terms] };
  }

  /** Adds the compound of several consecutive words, and their short form, if the index has them. */
  #joinInto(concepts: Concept[], joined: string): void {
    this.#addKnown(concepts, joined);
    const short = SHORT_FORMS.get(joined);
    if (short === undefined) return;
    const terms = this.#present([short], this.#parameters.abbreviation);
    if (terms.length > 0) concepts.push({ token: `(${joined})`, terms });
  }

  #addKnown(concepts: Concept[], joined: string): void {
    const term = this.#vocabulary.find(stem(joined));
    if (term !== undefined)
      concepts.push({ token: joined, terms: [{ term, weight: this.#parameters.compound }] });
  }

  #termsFor(token: string, word: Word, isProperName: boolean): readonly WeightedTerm[] {
    const itself = this.#vocabulary.find(token);
    const equivalents = this.#equivalentsOf(token);
    if (itself !== undefined) {
      return [{ term: itself, weight: this.#weightOf(token, word) }, ...equivalents];
    }
    if (equivalents.length > 0) return equivalents;
    const halves = this.#halvesOf(token);
    return halves.length > 0 || isProperName ? halves : this.#correctionsOf(token);
  }

  #weightOf(token: string, { isWeak }: Word): number {
    // Each of the two characters counts by itself, too.
    if (token.length === 2 && IS_HAN.test(token)) return this.#parameters.compound;
    return isWeak ? this.#parameters.weakWord : 1;
  }

  #equivalentsOf(token: string): readonly WeightedTerm[] {
    const equivalents = equivalentsOf(token);
    if (equivalents === undefined) return NO_TERMS;
    const { abbreviation, synonym, kind } = this.#parameters;
    return [
      ...this.#present(equivalents.forms, abbreviation),
      ...this.#present(equivalents.synonyms, synonym),
      ...this.#present(equivalents.kinds, kind),
    ];
  }

  /** Returns the tokens that the index has. */
  #present(tokens: readonly string[], weight: number): WeightedTerm[] {
    const present: WeightedTerm[] = [];
    for (const token of tokens) {
      const term = this.#vocabulary.find(token);
      if (term !== undefined) present.push({ term, weight });
    }
    return present;
  }

  /** Returns the two known words that form a compound. */
  #halvesOf(token: string): WeightedTerm[] {
    for (let cut = MIN_HALF_CHARS; cut <= token.length - MIN_HALF_CHARS; cut++) {
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

const IS_HAN = /^\p{Script=Han}+$/u;

const NO_TERMS: readonly WeightedTerm[] = [];

const MIN_HALF_CHARS = 3;
/**
 * Limit on corrected words: each is compared with every term, and people misspell a few words, not hundreds.
 */
const MAX_CORRECTED_WORDS = 16;

/** Returns the words of a query, as written, that the index lacks in any form, each once. */
export function unknownWords(query: string, { concepts }: ReadQuery): string[] {
  const isKnown = new Map(concepts.map(({ token, terms }) => [token, terms.length > 0]));
  const unknown = wordsOf(cutText(query, LIMITS.keywordPatternChars)).filter(
    ({ parts }) => parts.length > 0 && parts.every((part) => isKnown.get(part) === false),
  );
  return [...new Map(unknown.map(({ text }) => [text.toLowerCase(), text])).values()];
}

/** Reads a query that matched no term again: by terms with the same beginning, otherwise by similar terms. */
export function readLoosely(query: ReadQuery, vocabulary: Vocabulary): ReadQuery {
  const asked = query.concepts.slice(0, MAX_LOOSE_WORDS);
  for (const resort of [termsWithPrefix, similarTerms]) {
    const concepts = asked.map(({ token }) => ({ token, terms: resort(token, vocabulary) }));
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

/** Synonyms of each stem. */
export const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = tableOf(SYNONYM_GROUPS);

/** Stems of the categories that a stem belongs to. */
export const KINDS_OF: ReadonlyMap<string, ReadonlySet<string>> = kindsByMember();

/** Long forms of each short form's stem; and the reverse for long forms of one word. */
export const FORMS: ReadonlyMap<string, readonly string[]> = formsOf();

/** All equivalents of one stem. */
export interface Equivalents {
  readonly forms: readonly string[];
  readonly synonyms: readonly string[];
  readonly kinds: readonly string[];
}

const ALL_EQUIVALENTS: ReadonlyMap<string, Equivalents> = new Map(
  [...new Set([...FORMS.keys(), ...SYNONYMS.keys(), ...KINDS_OF.keys()])].map((one) => [
    one,
    {
      forms: FORMS.get(one) ?? [],
      synonyms: [...(SYNONYMS.get(one) ?? [])],
      kinds: [...(KINDS_OF.get(one) ?? [])],
    },
  ]),
);

/** Returns the equivalents of a stem; undefined for most. */
export function equivalentsOf(one: string): Equivalents | undefined {
  return ALL_EQUIVALENTS.get(one);
}

/** Short forms by the joined stems of the words they abbreviate. */
export const SHORT_FORMS: ReadonlyMap<string, string> = new Map(
  ABBREVIATIONS.filter(({ long }) => long.length > 1).map(({ short, long }) => [
    long.map(stem).join(''),
    stem(short),
  ]),
);

function tableOf(groups: readonly (readonly string[])[]): Map<string, Set<string>> {
  const table = new Map<string, Set<string>>();
  for (const group of groups) {
    const stems = group.map(stem);
    for (const one of stems) {
      const others = table.get(one) ?? new Set();
      table.set(one, others);
      for (const other of stems) if (other !== one) others.add(other);
    }
  }
  return table;
}

function formsOf(): Map<string, string[]> {
  const forms = new Map<string, string[]>();
  const add = (one: string, other: string) => forms.set(one, [...(forms.get(one) ?? []), other]);
  for (const { short, long } of ABBREVIATIONS) {
    for (const word of long) add(stem(short), stem(word));
    if (long.length === 1) add(stem(long[0]!), stem(short));
  }
  return forms;
}

function kindsByMember(): Map<string, Set<string>> {
  const table = new Map<string, Set<string>>();
  for (const { kinds, members } of KINDS) {
    for (const member of members.map(stem)) {
      const known = table.get(member) ?? new Set();
      table.set(member, known);
      for (const kind of kinds.map(stem)) if (kind !== member) known.add(kind);
    }
  }
  return table;
}
