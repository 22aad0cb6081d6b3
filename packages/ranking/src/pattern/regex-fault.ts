import { compileRegex } from './compile-regex.ts';

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
