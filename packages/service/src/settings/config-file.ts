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
 * Reads a YAML text into flat entries, and replaces environment variables: `${NAME}`, or `${NAME:-default}`,
 * where the default replaces a variable that is missing or empty.
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

  const collect = (node: unknown, path: readonly string[], line: number): void => {
    if (!yaml.isMap(node)) {
      entries.push({ path, value: readValue(node, `Line ${line}: ${path.join('.')}`), line });
      return;
    }
    for (const { key, value } of node.items) {
      const { range } = key as Located;
      const name = yaml.isScalar(key) ? String(key.value) : '?';
      collect(value, [...path, name], range ? lineAt(range[0]) : line);
    }
  };
  if (!isEmpty) collect(contents, [], 1);
  return { entries, problems };
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
