import { parseYaml } from './parse-yaml.ts';

/** What a file holds, or everything that is wrong with it, one sentence each. */
export type DocumentOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a JSON or YAML text whole. JSON may have comments and commas behind the last member, as editors write it. No problem quotes the text,
 * which may hold secrets. Never throws.
 */
export function readDocument(text: string): DocumentOutcome {
  const plain = text.replace(/^\ufeff/, '');
  const isJson = /^\s*[{[]|^\s*\/[/*]/.test(plain);
  // JSON is YAML, apart from its tabs.
  const { document, problems } = parseYaml(isJson ? blankComments(plain) : plain);
  if (problems.length > 0) return { ok: false, problems };
  try {
    // An alias may stand for a text that doubles with each of them.
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) };
  } catch {
    return { ok: false, problems: ['The file has aliases (*name), which are not read.'] };
  }
}

/** The text with comments and tabs between its members as blanks, so that every line stays where it is. */
function blankComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\t/g, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\n]/g, ' '),
  );
}
