import { parseYaml } from './parse-yaml.ts';

/** One value of a configuration file and its place. */
export interface FileEntry {
  /** The keys that lead to it. */
  readonly path: readonly string[];
  /** A scalar, or a list of scalars; undefined for a key without a value. */
  readonly value: unknown;
  /** Line in the file, from 1. */
  readonly line: number;
}

/** The entries of a file in file order, or all of its problems, one sentence each. */
export interface FileOutcome {
  readonly entries: readonly FileEntry[];
  readonly problems: readonly string[];
}

/**
 * Reads a YAML text into flat entries: a list of sections that each have a `name` stands for sections under
 * these names, in the order of the list. Replaces environment variables: `${NAME}`, or `${NAME:-default}`, where
 * the default replaces a variable that is missing or empty.
 *
 * Variables are replaced after parsing, so that their values cannot change the structure of the file. A
 * missing variable without a default is a problem. Never throws.
 */
export function readConfigFile(text: string, environment: Environment): FileOutcome {
  if (text.trim() === '') return { entries: [], problems: [] };
  const { yaml, document, lineAt, problems } = parseYaml(text);
  if (problems.length > 0) return { entries: [], problems };
  const { contents } = document;
  const isEmpty = contents === null || (yaml.isScalar(contents) && contents.value === null);
  if (!isEmpty && !yaml.isMap(contents)) {
    return { entries: [], problems: ['Line 1: the file must hold keys with values.'] };
  }
  const entries: FileEntry[] = [];

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
      ? substitute(node.value, place, { environment, problems })
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
      entries.push({ path, value: readValue(node, `Line ${line}: ${path.join('.')}`), line });
      return;
    }
    collectPairs(node.items, path, line);
  };
  if (!isEmpty) collect(contents, [], 1);
  return { entries, problems };
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

type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function substitute(
  text: string,
  place: string,
  { environment, problems }: { readonly environment: Environment; readonly problems: string[] },
): string {
  return text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = environment[name];
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    problems.push(
      `${place} needs the environment variable ${name}, which is not set; \${${name}:-default} gives it a default.`,
    );
    return '';
  });
}
