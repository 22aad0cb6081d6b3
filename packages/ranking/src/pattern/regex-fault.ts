import { compileRegex } from './compile-regex.ts';

/**
 * What is wrong with a regular expression in the syntax of Python, in a few words; undefined for one that is well formed, also where it is not
 * run here: look-around and back-references are not, nor what is too expensive.
 */
export function regexFault(source: string): string | undefined {
  if (compileRegex(source) !== undefined) return undefined;
  // What Python writes otherwise. The expression is only read here, never run: matching might take for ever.
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
