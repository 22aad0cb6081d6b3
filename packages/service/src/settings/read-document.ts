import { parseYaml } from './parse-yaml.ts';

/** The value of a file, or all of its problems, one sentence each. */
export type DocumentOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a whole JSON or YAML text. JSON may have comments and trailing commas, as editors write it. No
 * problem quotes the text, which may hold secrets. Never throws.
 */
export function readDocument(text: string): DocumentOutcome {
  const plain = text.replace(/^\ufeff/, '');
  const isJson = /^\s*[{[]|^\s*\/[/*]/.test(plain);
  // JSON is YAML, except for tabs.
  const { document, problems } = parseYaml(isJson ? blankComments(plain) : plain);
  if (problems.length > 0) return { ok: false, problems };
  try {
    // Aliases could make a short text grow exponentially.
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) };
  } catch {
    return { ok: false, problems: ['The file has aliases (*name), which are not read.'] };
  }
}

/**
 * Returns the text with blanks in place of comments and tabs between its members, so that every line keeps
 * its number.
 */
function blankComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\t/g, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\n]/g, ' '),
  );
}
