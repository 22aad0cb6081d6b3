import { createRequire } from 'node:module';

const loadYaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** What a file holds, or everything that is wrong with it, one sentence each. */
export type DocumentOutcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a JSON or YAML text whole. JSON may have comments and commas behind the last member, as editors write it. No problem quotes the text,
 * which may hold secrets. Never throws.
 */
export function readDocument(text: string): DocumentOutcome {
  const yaml = loadYaml();
  const plain = text.replace(/^\ufeff/, '');
  const isJson = /^\s*[{[]|^\s*\/[/*]/.test(plain);
  const lines = new yaml.LineCounter();
  // JSON is YAML, apart from its tabs.
  const document = yaml.parseDocument(isJson ? blankComments(plain) : plain, {
    lineCounter: lines,
    uniqueKeys: true,
  });
  const complaints = [...document.errors, ...document.warnings];
  if (complaints.length > 0) {
    return {
      ok: false,
      problems: complaints.map(({ message, pos }) => `${lineAt(lines, pos[0])}: ${reason(message)}`),
    };
  }
  try {
    // An alias may stand for a text that doubles with each of them.
    return { ok: true, value: document.toJS({ maxAliasCount: 0 }) };
  } catch {
    return { ok: false, problems: ['The file has aliases (*name), which are not read.'] };
  }
}

function lineAt(lines: InstanceType<typeof import('yaml').LineCounter>, offset: number): string {
  return `Line ${lines.linePos(offset).line}`;
}

/** The parser's messages go on with the place and an excerpt. */
function reason(message: string): string {
  const [first = message] = message.split(/ at line |\n/);
  return `${first.replace(/:? ".*$/, '').replace(/\.?$/, '')}.`;
}

/** The text with comments and tabs between its members as blanks, so that every line stays where it is. */
function blankComments(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|\t/g, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\n]/g, ' '),
  );
}
