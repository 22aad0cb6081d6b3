import { LIMITS, type SearchType } from '@winnow/core';
import { compileRegex, type Regex } from './compile-regex.ts';

/** One reading of a pattern. */
export type Reading = GlobReading | RegexReading | KeywordReading;

/** A name with wildcards: `*` for any characters, `?` for one. Matches whole names. */
export interface GlobReading {
  readonly kind: 'glob';
  readonly regex: Regex;
}

export interface RegexReading {
  readonly kind: 'regex';
  readonly regex: Regex;
}

export interface KeywordReading {
  readonly kind: 'keyword';
}

const KEYWORD: KeywordReading = { kind: 'keyword' };

/**
 * Returns the readings of a pattern, in the order to try them until one finds something; the last is always
 * keywords.
 *
 * `keyword`, `hybrid` and `semantic` read all patterns as words. `auto` recognises only globs and regular
 * expressions that are clearly intended. `regex` accepts whatever compiles, after trying it as a glob if it
 * is one: models write `get_*_data` and mean any characters. Exact names are not considered here: they
 * precede all readings. Pure, and linear in the length of the pattern.
 */
export function readPattern(pattern: string, searchType: SearchType): readonly Reading[] {
  const text = pattern.trim();
  // Nothing longer compiles, so the expressions below need not handle it.
  if (text.length > LIMITS.regexPatternChars) return [KEYWORD];
  // The empty expression matches every text, but an empty pattern requests nothing.
  if (text === '') return [KEYWORD];
  if (searchType !== 'auto' && searchType !== 'regex') return [KEYWORD];
  if (searchType === 'auto' && !SIGN.test(text)) return [KEYWORD];
  const readings: Reading[] = [];
  if (isGlob(text)) addCompiled(readings, 'glob', compileGlob(text));
  if (searchType === 'regex' || (searchType === 'auto' && isRegexOnPurpose(text))) {
    addCompiled(readings, 'regex', compileRegex(text));
  }
  readings.push(KEYWORD);
  return readings;
}

function addCompiled(readings: Reading[], kind: 'glob' | 'regex', regex: Regex | undefined): void {
  if (regex === undefined) return;
  // An expression that matches the empty text matches every tool. If it contains words (`slack|`, `(mail)?`),
  // that was not intended.
  if (regex.words !== '' && regex.test('')) return;
  readings.push({ kind, regex });
}

/** Signs without which no text is a glob, or an expression on purpose. */
const SIGN = /[*?+|^$()[\]{}\\]/;

/** One token of name characters, with wildcards among them. */
const GLOB = /^[^\s|^$()[\]{}+\\,;!"'`<>]*$/u;
const WILDCARD = /[*?]/;

/**
 * Whether `*` and `?` are wildcards. In `get_.*` the star follows a dot, as in regular expressions; a
 * question mark at the end ends a question ("weather?").
 */
function isGlob(text: string): boolean {
  if (text.includes('://')) return false;
  const unasked = text.replace(/\?+$/, '');
  return GLOB.test(text) && WILDCARD.test(unasked) && !/\.[*?]/.test(text) && /[\p{L}\p{N}_*]/u.test(text);
}

function compileGlob(text: string): Regex | undefined {
  const source = text
    .replace(/\*+/g, '*')
    .replace(/[.\\/]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return compileRegex(`^${source}$`, { dotMatchesNewline: true });
}

/** Syntax that ordinary text does not contain, whatever stands around it. */
const UNMISTAKABLE = [
  /\.[*+]/, //                          get_.*_data
  /\.\{\d+(,\d*)?\}/, //                create.{0,20}issue
  /^\(\?[imsU]+\)|\(\?([:=!<]|P<|[imsU]+:)/, // (?i)slack, (?:get|list)
  /(?<![A-Za-z]:|[A-Za-z]:\S*)\\[bBdDsSwWAz.]/, // \bissue\b, but not C:\dev\bin
  /\[\^[^\]\s]+\]/, //                  [^_]
  /\[([A-Za-z\d]-[A-Za-z\d]|\\\w|[_.])+-?\]/, // [a-z_0-9-], but not [2020-12-31]
  /[\])][*+](\W|_|$)|\]\{\d+(,\d*)?\}/, // [ab]+, (ab)*, [ab]{2}
  /\\[pP]\{/, //                        \p{Cyrillic}
  /^\^[\p{L}\p{N}_([\\.]/u, //          ^get_
  /[\p{L}\p{N}_)\]]\.\?[\p{L}\p{N}_([]/u, // web.?hook
];

/** Syntax that a sentence may contain by accident, so it counts only in text that does not read as one. */
const LIKELY = [
  /[^\s|]\|[^\s|]/, //                  slack|discord
  /\w\[[A-Za-z]{2,4}\]\w|(^|[\s_|(])\[[A-Za-z]{2}\]\w/, // gr[ae]y, [Ss]lack
];

/** Syntax that counts only in text without spaces. */
const LIKELY_IN_ONE_TOKEN = [
  /[\p{L}_)\]*+]\$$/u, //              _issue$
  /\)[?*+]|\)\{\d+(,\d*)?\}/, //        git(hub)?
  /^(?!.*:\/\/).*[\w-]\?[\w(]/, //   web_?hook, but not https://host/a?b=c
];

function isRegexOnPurpose(text: string): boolean {
  const contains = (pattern: RegExp): boolean => pattern.test(text);
  if (UNMISTAKABLE.some(contains)) return true;
  if (!readsAsSentence(text) && LIKELY.some(contains)) return true;
  return !/\s/.test(text) && LIKELY_IN_ONE_TOKEN.some(contains);
}

/** Whether the text has several words with the punctuation of prose. */
function readsAsSentence(text: string): boolean {
  return /\s/.test(text) && /[.?!,;:…]["')\]]*(\s|$)|\w['’]\w/.test(text);
}

/**
 * Returns the error in a regular expression in Python syntax, in a few words; undefined for a well-formed
 * one, even if it is not supported here: look-around, back-references, or too expensive.
 */
export function regexFault(source: string): string | undefined {
  if (compileRegex(source) !== undefined) return undefined;
  // Translates Python's own syntax. The expression is only parsed, never run: matching might never end.
  const own = source
    .replace(/^\(\?[a-zA-Z]+\)/, '')
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\(\?P=(\w+)\)/g, '\\k<$1>');
  try {
    new RegExp(own);
    return undefined;
  } catch (error) {
    return (error as Error).message.split(': ').at(-1);
  }
}
