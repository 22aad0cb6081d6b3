import { createRequire } from 'node:module';
import { isFileReference, substitute } from './substitute.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** One value of a configuration file and its place. */
interface FileEntry {
  /** The keys that lead to it. */
  readonly path: readonly string[];
  /** A scalar, or a list of scalars; undefined for a key without a value. */
  readonly value: unknown;
  /** Line in the file, from 1. */
  readonly line: number;
  /** The reference to a file that the value was read from, such as `${file:/run/secrets/key}`. */
  readonly reference?: string;
}

/** The entries of a file in file order, or all of its problems, one sentence each. */
export interface FileOutcome {
  readonly entries: readonly FileEntry[];
  readonly problems: readonly string[];
  /** Paths of the files that values come from. */
  readonly files: readonly string[];
}

/**
 * Reads a YAML text into flat entries: a list of sections that each have a `name` stands for sections under
 * these names, in the order of the list. References to
 * environment variables and files are replaced, as `substitute` says.
 *
 * They are replaced after parsing, so that their values cannot change the structure of the file. Never throws.
 */
export function readConfigFile(text: string, environment: Environment): FileOutcome {
  if (text.trim() === '') return { entries: [], problems: [], files: [] };
  const { yaml, document, lineAt, problems } = parseYaml(text);
  if (problems.length > 0) return { entries: [], problems, files: [] };
  const { contents } = document;
  const isEmpty = contents === null || (yaml.isScalar(contents) && contents.value === null);
  if (!isEmpty && !yaml.isMap(contents)) {
    return { entries: [], problems: ['Line 1: the file must hold keys with values.'], files: [] };
  }
  const entries: FileEntry[] = [];
  const files: string[] = [];

  const readValue = (node: unknown, place: string): unknown => {
    if (yaml.isAlias(node)) {
      // The alias itself is not repeated: it may be a secret that begins with `*` and lacks its quotes.
      problems.push(
        `${place} has a value that begins with *, which YAML reads as an alias: write the value itself, in quotes if it does begin with *.`,
      );
      return undefined;
    }
    if (yaml.isSeq(node)) return node.items.map((item) => readValue(item, place));
    if (!yaml.isScalar(node) || node.value === null) return undefined;
    return typeof node.value === 'string'
      ? substitute(node.value, { environment, place, problems, files })
      : node.value;
  };

  const collectNamed = (items: readonly unknown[], path: readonly string[], line: number): void => {
    const names = new Set<string>();
    for (const item of items) {
      const { range } = item as Located;
      const itemLine = range ? lineAt(range[0]) : line;
      const name = yaml.isMap(item) ? item.get('name') : undefined;
      if (!yaml.isMap(item) || typeof name !== 'string') {
        problems.push(`Line ${itemLine}: ${path.join('.')} needs a \`name\` in each of its entries.`);
      } else if (names.has(name)) {
        problems.push(`Line ${itemLine}: ${path.join('.')} has two entries with the same name.`);
      } else {
        names.add(name);
        entries.push({ path: [...path, name], value: undefined, line: itemLine });
        collectPairs(
          item.items.filter(({ key }) => !(yaml.isScalar(key) && key.value === 'name')),
          [...path, name],
          itemLine,
        );
      }
    }
  };

  const collectPairs = (pairs: readonly Pair[], path: readonly string[], line: number): void => {
    for (const { key, value } of pairs) {
      const { range } = key as Located;
      const name = yaml.isScalar(key) ? String(key.value) : '?';
      collect(value, [...path, name], range ? lineAt(range[0]) : line);
    }
  };

  const collect = (node: unknown, path: readonly string[], line: number): void => {
    if (yaml.isSeq(node) && node.items.some((item) => yaml.isMap(item))) {
      collectNamed(node.items, path, line);
      return;
    }
    if (!yaml.isMap(node)) {
      const { length } = problems;
      const value = readValue(node, `Line ${line}: ${path.join('.')}`);
      // The problem says why there is no value.
      if (problems.length > length) return;
      const isReference = yaml.isScalar(node) && isFileReference(node.value);
      entries.push({ path, value, line, ...(isReference && { reference: String(node.value) }) });
      return;
    }
    if (node.items.length === 0) entries.push({ path, value: undefined, line });
    collectPairs(node.items, path, line);
  };
  if (!isEmpty) collect(contents, [], 1);
  return { entries, problems, files };
}

/** A key of a section with its value, as nodes of the parser. */
interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

/** A node of the parser, reduced to its position. */
interface Located {
  readonly range?: readonly [number, ...number[]] | null;
}

/**
 * Parses YAML. Returns all problems, one sentence each with its line. An unknown tag, such as `!env NAME`, is
 * a problem, because its value would be taken literally. No problem quotes the text, which may hold secrets.
 */
export function parseYaml(text: string, merge = false) {
  // The parser takes 15 ms to load, and a service without a file need not wait for it.
  const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const lines = new yaml.LineCounter();
  // The parser compares each key with all others.
  const document = yaml.parseDocument(text, { lineCounter: lines, uniqueKeys: false, merge });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const repeated: number[] = [];
  yaml.visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!yaml.isScalar(key)) continue;
        if (keys.has(key.value)) repeated.push(lineAt(key.range?.[0] ?? 0));
        keys.add(key.value);
      }
    },
  });
  const problems = [
    ...[...document.errors, ...document.warnings].map(
      ({ message, pos }) => `Line ${lineAt(pos[0])}: ${reason(message)}`,
    ),
    ...repeated.map((line) => `Line ${line}: Map keys must be unique.`),
  ];
  return { yaml, document, lineAt, problems };
}

/** Returns the reason in a parser's message, which also has the place and an excerpt. */
function reason(message: string): string {
  const [first = message] = message.split(/ at line |\n/);
  return `${first.replace(/:? ".*$/, '').replace(/\.?$/, '')}.`;
}

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
  const { document, problems } = parseYaml(isJson ? blankComments(plain) : plain, true);
  if (problems.length > 0) return { ok: false, problems };
  try {
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    // Aliases can make a short text grow exponentially.
    if (sizeOf(value, new Map()) <= MOST_VALUES) return { ok: true, value };
    return {
      ok: false,
      problems: [`With its aliases (*name), the file has more than ${MOST_VALUES} values.`],
    };
  } catch {
    return { ok: false, problems: ['The file has aliases (*name) that lead to nothing.'] };
  }
}

/** Most values of a document, those of every alias counted again. */
const MOST_VALUES = 5_000_000;

/** Returns the number of values in a value. */
function sizeOf(value: unknown, known: Map<object, number>): number {
  if (typeof value !== 'object' || value === null) return 1;
  let size = known.get(value);
  if (size === undefined) {
    // An alias to the value itself has no end.
    known.set(value, Number.POSITIVE_INFINITY);
    size = Object.values(value).reduce((sum: number, member) => sum + sizeOf(member, known), 1);
    known.set(value, size);
  }
  return size;
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
