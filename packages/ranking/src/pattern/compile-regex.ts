import { LIMITS } from '@winnow/contract';
import { RE2JS } from 're2js';
import { readRegexShape } from './regex-shape.ts';

/** A regular expression that is safe to run on any text: matching takes time linear in the text. */
export interface Regex {
  /** Whether the text, or a part of it, matches; case counts for nothing. */
  test(text: string): boolean;
  /**
   * Finds, with the `g` flag set, a string without which there is no match, in a text or in many that are joined. A text in
   * which it finds none need not be tested. Undefined when there is no such string.
   */
  readonly required: RegExp | undefined;
  /** The literal text of the expression, for scoring by keywords; may be empty. */
  readonly words: string;
  /** Time for one character in the worst case, as a multiple of that of a plain expression. */
  readonly costPerChar: number;
}

/**
 * How large an expression may be. RE2's guarantee is time linear in the text *times the size of the program*, and a program
 * can be made large with few characters: `(\w{30}){30}`. What language models write stays under 30.
 */
const MAX_AMBIGUITY = 64;
/** Compiling takes 3 to 7 µs per instruction. */
const MAX_SIZE = 1_000;

/**
 * Up to this ambiguity the automaton's states fit its cache, whatever the text. Measured on random text of two letters made
 * to defeat it (`.*a.{14}c`): .5 µs per character and less at ambiguity 14, then 4 µs at 17, 9 at 30, 22 at 60.
 */
const CACHED_AMBIGUITY = 14;
/** Cost of a place beyond it, as a multiple of the time for one character of a plain expression, about 12 ns. */
const UNCACHED_COST = 32;

/**
 * A compiled regular expression, or undefined when it is none: no valid RE2 syntax (look-around and back-references
 * are not), longer than the contract allows, or so expensive that a hostile text could stall a search.
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
 * The test of a `pattern` of JSON Schema, in which case counts; undefined when the expression cannot be run in linear time, or is as
 * expensive as `compileRegex` allows none to be. It is found anywhere in a text unless it is anchored.
 */
export function compileSchemaPattern(source: string): ((text: string) => boolean) | undefined {
  if (source.length > LIMITS.regexPatternChars) return undefined;
  const shape = readRegexShape(source);
  if (shape === undefined || shape.size > MAX_SIZE || shape.ambiguity > MAX_AMBIGUITY) return undefined;
  const compiled = tryCompile(source, 0);
  return compiled && ((text) => compiled.test(text));
}

function holds(required: RegExp, text: string): boolean {
  // A global expression begins where it last ended.
  required.lastIndex = 0;
  return required.test(text);
}

function tryCompile(source: string, flags: number): RE2JS | undefined {
  try {
    return RE2JS.compile(source, flags);
  } catch {
    // Text from a language model, not a defect: whatever the reason, it is no regular expression.
    return undefined;
  }
}

/**
 * An alternation of literals on the engine's own regular expressions, which are some ten times faster and, without
 * quantifiers, as linear. With the `u` flag both engines fold case by the same Unicode table.
 */
function anyOf(literals: readonly string[]): RegExp | undefined {
  // Half a surrogate pair means different things to the two engines.
  if (!literals.every((literal) => literal.isWellFormed())) return undefined;
  return new RegExp(literals.map(escapeLiteral).join('|'), 'giu');
}

function escapeLiteral(literal: string): string {
  return literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
