import { LIMITS } from '@winnow/core';
import { RE2JS } from 're2js';

/** A regular expression that is safe on any text: matching takes time linear in the text. */
export interface Regex {
  /** Whether the text contains a match, ignoring case. */
  test(text: string): boolean;
  /**
   * Finds a string that every match contains, in one text or in several joined ones; has the `g` flag. A text
   * without one need not be tested. Undefined if there is no such string.
   */
  readonly required: RegExp | undefined;
  /** The literal text of the expression, for scoring by keywords; may be empty. */
  readonly words: string;
  /** Worst-case time per character, relative to a plain expression. */
  readonly costPerChar: number;
}

/**
 * Maximum ambiguity of an expression. RE2 guarantees time linear in the text *times the size of the program*,
 * and a few characters can make a large program: `(\w{30}){30}`. Expressions of language models stay under
 * 30.
 */
const MAX_AMBIGUITY = 64;
/** Compiling takes 3 to 7 µs per instruction. */
const MAX_SIZE = 1_000;

/**
 * Ambiguity up to which the automaton's states fit its cache for any text. Measured on random text of two
 * letters, the worst case (`.*a.{14}c`): at most .5 µs per character at ambiguity 14, then 4 µs at 17, 9 at
 * 30, 22 at 60.
 */
const CACHED_AMBIGUITY = 14;
/** Cost of a place beyond it, relative to one character of a plain expression, about 12 ns. */
const UNCACHED_COST = 32;

/**
 * Compiles a regular expression; undefined if it is invalid RE2 syntax (as look-around and back-references
 * are), longer than the contract allows, or so expensive that a hostile text could block a search.
 */
export function compileRegex(source: string, flags: { dotMatchesNewline?: boolean } = {}): Regex | undefined {
  if (source.length > LIMITS.regexPatternChars) return undefined;
  const shape = readRegexShape(source);
  if (shape === undefined || shape.size > MAX_SIZE || shape.ambiguity > MAX_AMBIGUITY) return undefined;
  const compiled = tryCompile(source, RE2JS.CASE_INSENSITIVE | (flags.dotMatchesNewline ? RE2JS.DOTALL : 0));
  if (compiled === undefined) return undefined;
  const required = shape.required.map(anyOf).filter((expression) => expression !== undefined);
  return {
    test: (text) => required.every((expression) => holds(expression, text)) && compiled.test(text),
    required: required[0],
    words: shape.words,
    costPerChar: 1 + shape.ambiguity * (shape.ambiguity > CACHED_AMBIGUITY ? UNCACHED_COST : 1),
  };
}

/**
 * Returns the test of a `pattern` in JSON Schema, with case; undefined if the expression cannot run in linear
 * time, or exceeds the cost limits of `compileRegex`. It matches anywhere in a text unless it is anchored.
 */
export function compileSchemaPattern(source: string): ((text: string) => boolean) | undefined {
  if (source.length > LIMITS.regexPatternChars) return undefined;
  const shape = readRegexShape(source);
  if (shape === undefined || shape.size > MAX_SIZE || shape.ambiguity > MAX_AMBIGUITY) return undefined;
  const compiled = tryCompile(source, 0);
  return compiled && ((text) => compiled.test(text));
}

function holds(required: RegExp, text: string): boolean {
  // A global expression resumes at its last match.
  required.lastIndex = 0;
  return required.test(text);
}

function tryCompile(source: string, flags: number): RE2JS | undefined {
  try {
    return RE2JS.compile(source, flags);
  } catch {
    // The text comes from a language model, so any error means that it is not a regular expression.
    return undefined;
  }
}

/**
 * Returns an alternation of literals for the engine's own regular expressions, which are some ten times
 * faster and, without quantifiers, equally linear. With the `u` flag, both engines fold case by the same
 * Unicode table.
 */
function anyOf(literals: readonly string[]): RegExp | undefined {
  // The two engines treat half a surrogate pair differently.
  if (!literals.every((literal) => literal.isWellFormed())) return undefined;
  return new RegExp(literals.map(escapeLiteral).join('|'), 'giu');
}

function escapeLiteral(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Properties of a regular expression that parsing reveals before compilation. */
export interface RegexShape {
  /** The literal text in it, in order, with spaces at interruptions. */
  readonly words: string;
  /**
   * Sets of strings: every match contains at least one string of each set, ignoring case. The most selective
   * set is first.
   */
  readonly required: readonly (readonly string[])[];
  /**
   * Approximate number of instructions after expanding counted repetitions; never too low by more than a
   * small factor.
   */
  readonly size: number;
  /** Places where an automaton may have to keep an alternative open; many of them make it slow. */
  readonly ambiguity: number;
}

/** Properties of a part: RegexShape without the words, which are collected globally. */
type Part = Omit<RegexShape, 'words'>;

const NOTHING: Part = { required: [], size: 0, ambiguity: 0 };
const ONE_OF_A_CLASS: Part = { required: [], size: 1, ambiguity: 1 };

/** Sets with more strings are slower to search for than they save. */
const MAX_STRINGS = 64;
/** Maximum number of sets to search for, one after another. */
const MAX_SETS = 3;

/**
 * Returns the shape of a regular expression in RE2 syntax.
 *
 * Undefined for syntax that is invalid or rare (`\Q…\E`). Correct only for expressions that compile: it does
 * not check for errors. Linear in the length of the source.
 * Syntax: https://github.com/google/re2/wiki/Syntax
 */
export function readRegexShape(source: string): RegexShape | undefined {
  if (source.includes('\\Q')) return undefined;
  const reader = new ShapeReader(source);
  const part = reader.readAlternatives();
  return reader.isAtEnd ? { ...part, words: reader.words.trim() } : undefined;
}

const COUNT = /\{(\d+)(,(\d*))?\}/y;
const GROUP_START = /\((\?(P?<\w+>|[imsU-]*:))?(?!\?)/y;
const FLAGS = /\(\?[imsU-]+\)/y;
/** A letter in both cases, which models write instead of a flag: `[Ss]lack`. */
const BOTH_CASES = /\[([a-zA-Z])([a-zA-Z])\]/y;
const CLASS = /\[\^?\]?(\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]/y;
/** Escapes for a character or a class: hexadecimal, octal, Unicode, Perl classes, control characters. */
const ESCAPED_CLASS = /\\(x\{[\da-fA-F]+\}|x[\da-fA-F]{2}|[pP]\{\^?\w+\}|[pP]\w|\d{1,3}|[a-zA-Z])/y;
const ZERO_WIDTH = /\^|\$|\\[bBAz]/y;
const LITERAL = /\\([^\w\s]|_)|([^\\()[|*+?.^$])/uy;

interface Repetition {
  readonly min: number;
  /** Number of copies of the part in the program. */
  readonly copies: number;
}

/**
 * Recursive descent over one source; its depth is that of nested groups, which the length of a pattern
 * bounds.
 */
class ShapeReader {
  readonly #source: string;
  #at = 0;
  words = '';

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#source.length;
  }

  readAlternatives(): Part {
    let whole = this.#readSequence();
    // Alternatives count as one place, whatever their number: the automaton merges common beginnings.
    if (this.#source[this.#at] === '|') whole = { ...whole, ambiguity: whole.ambiguity + 1 };
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      this.#breakWord();
      whole = either(whole, this.#readSequence());
    }
    return whole;
  }

  #readSequence(): Part {
    let whole = NOTHING;
    let run = '';
    const endRun = (): void => {
      whole = both(whole, literalPart(run));
      run = '';
    };
    for (;;) {
      const literal = this.#readLiteral();
      if (literal !== undefined) {
        const repetition = this.#readRepetition();
        this.words += literal;
        if (repetition === undefined) {
          run += literal;
          continue;
        }
        // The repeated character belongs to the preceding run only if it must occur.
        if (repetition.min > 0) run += literal;
        endRun();
        whole = both(whole, { ...repeat(literalPart(literal), repetition), required: [] });
        continue;
      }
      endRun();
      const part = this.#readPart();
      if (part === undefined) return whole;
      const repetition = this.#readRepetition();
      whole = both(whole, repetition === undefined ? part : repeat(part, repetition));
    }
  }

  #readLiteral(): string | undefined {
    const cases = this.#peek(BOTH_CASES);
    if (cases !== undefined && cases[1]!.toLowerCase() === cases[2]!.toLowerCase()) {
      this.#at += cases[0].length;
      return cases[1]!.toLowerCase();
    }
    const match = this.#take(LITERAL);
    return match && (match[1] ?? match[2]);
  }

  /** Reads a group, a class, or an assertion; undefined at the end of a sequence. */
  #readPart(): Part | undefined {
    this.#breakWord();
    if (this.#take(FLAGS) || this.#take(ZERO_WIDTH)) return { ...NOTHING, size: 1 };
    if (this.#source[this.#at] === '.') {
      this.#at += 1;
      return ONE_OF_A_CLASS;
    }
    if (this.#take(CLASS) || this.#take(ESCAPED_CLASS)) return ONE_OF_A_CLASS;
    if (!this.#take(GROUP_START)) return undefined;
    const inner = this.readAlternatives();
    if (this.#source[this.#at] !== ')') return undefined;
    this.#at += 1;
    this.#breakWord();
    return { ...inner, size: inner.size + 2 };
  }

  #readRepetition(): Repetition | undefined {
    const mark = this.#source[this.#at];
    const count = mark === '{' ? this.#take(COUNT) : undefined;
    if (count) {
      this.#skipLazyMark();
      const min = Number(count[1]);
      const max = count[2] === undefined ? min : count[3] === '' ? min + 1 : Number(count[3]);
      return { min, copies: Math.max(1, min, max) };
    }
    if (mark !== '*' && mark !== '+' && mark !== '?') return undefined;
    this.#at += 1;
    this.#skipLazyMark();
    return { min: mark === '+' ? 1 : 0, copies: 1 };
  }

  #skipLazyMark(): void {
    if (this.#source[this.#at] === '?') this.#at += 1;
  }

  #breakWord(): void {
    if (!this.words.endsWith(' ')) this.words += ' ';
  }

  #peek(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source) ?? undefined;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const match = this.#peek(pattern);
    if (match !== undefined) this.#at += match[0].length;
    return match;
  }
}

function literalPart(text: string): Part {
  return { required: isWorthFinding(text) ? [[text]] : [], size: text.length, ambiguity: 0 };
}

/** Whether a text is selective: single Latin letters and underscores are in every tool. */
function isWorthFinding(text: string): boolean {
  return text.length > 1 || text > '\u024f';
}

function both(left: Part, right: Part): Part {
  return {
    required: [...left.required, ...right.required].sort(byTelling).slice(0, MAX_SETS),
    size: left.size + right.size,
    ambiguity: left.ambiguity + right.ambiguity,
  };
}

function either(left: Part, right: Part): Part {
  const [ofLeft] = left.required;
  const [ofRight] = right.required;
  const strings = ofLeft && ofRight ? [...new Set([...ofLeft, ...ofRight])] : [];
  return {
    required: strings.length > 0 && strings.length <= MAX_STRINGS ? [strings] : [],
    size: left.size + right.size + 1,
    ambiguity: left.ambiguity + right.ambiguity,
  };
}

function repeat(part: Part, { min, copies }: Repetition): Part {
  const isCounted = copies > 1;
  return {
    required: min > 0 ? part.required : [],
    size: copies * (part.size + 1),
    // Counted repetition is what explodes: every copy is a separate state.
    ambiguity: isCounted ? copies * Math.max(1, part.size) : part.ambiguity + 1,
  };
}

/** Puts the set with the longer shortest string first, then the smaller set. */
function byTelling(left: readonly string[], right: readonly string[]): number {
  return shortest(right) - shortest(left) || left.length - right.length;
}

function shortest(texts: readonly string[]): number {
  return texts.reduce((length, text) => Math.min(length, text.length), Number.POSITIVE_INFINITY);
}
