import { LIMITS } from '@winnow/core';
import { RE2JS } from 're2js';
import { readRegexShape } from './regex-shape.ts';

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
