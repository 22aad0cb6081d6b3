import { createRequire } from 'node:module';
import type { LineCounter, Node } from 'yaml';

/** The parser takes 15 ms to load, which a service without a file need not wait for. */
const loadYaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** One value of a configuration file, with the place where it stands. */
export interface FileEntry {
  /** The keys that lead to it. */
  readonly path: readonly string[];
  /** A scalar, or a list of scalars; undefined for a key without a value. */
  readonly value: unknown;
  /** Line in the file, from 1. */
  readonly line: number;
}

/** The entries of a file in file order, or everything that is wrong with it, one sentence each. */
export interface FileOutcome {
  readonly entries: readonly FileEntry[];
  readonly problems: readonly string[];
}

/**
 * Reads a YAML text into flat entries and puts environment variables in: `${NAME}`, or `${NAME:-default}`, where the default
 * stands for a variable that is missing or empty.
 *
 * Variables are put in after parsing, so that no value of a variable can change the structure of the file. A variable that is
 * missing without a default is a problem. Never throws.
 */
export function readConfigFile(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): FileOutcome {
  if (text.trim() === '') return { entries: [], problems: [] };
  const yaml = loadYaml();
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  // A warning is a tag that nobody knows, such as `!env NAME`, whose value would be taken as it stands.
  const complaints = [...document.errors, ...document.warnings];
  if (complaints.length > 0) {
    return { entries: [], problems: complaints.map(({ message }) => firstLine(message)) };
  }
  const isEmpty =
    document.contents === null || (yaml.isScalar(document.contents) && document.contents.value === null);
  if (!isEmpty && !yaml.isMap(document.contents)) {
    return { entries: [], problems: ['Line 1: the file must hold keys with values.'] };
  }
  const walk: Walk = { yaml, lines, environment, entries: [], problems: [] };
  if (yaml.isMap(document.contents)) collect(document.contents, [], 1, walk);
  const { entries, problems } = walk;
  return { entries, problems };
}

interface Walk {
  readonly yaml: typeof import('yaml');
  readonly lines: LineCounter;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly entries: FileEntry[];
  readonly problems: string[];
}

function collect(node: Node | null, path: readonly string[], line: number, walk: Walk): void {
  const { yaml } = walk;
  if (yaml.isMap(node)) {
    for (const pair of node.items) {
      const key = pair.key as Node;
      const keyLine = lineOf(key, walk) ?? line;
      collect(
        pair.value as Node | null,
        [...path, yaml.isScalar(key) ? String(key.value) : '?'],
        keyLine,
        walk,
      );
    }
    return;
  }
  walk.entries.push({ path, value: readValue(node, path, line, walk), line });
}

function readValue(node: Node | null, path: readonly string[], line: number, walk: Walk): unknown {
  const { yaml } = walk;
  if (yaml.isAlias(node)) return refuseAlias(path, line, walk);
  if (yaml.isSeq(node)) return node.items.map((item) => readValue(item as Node, path, line, walk));
  if (!yaml.isScalar(node) || node.value === null) return undefined;
  return typeof node.value === 'string' ? substitute(node.value, path, line, walk) : node.value;
}

/** The alias itself is not repeated: it may be a secret that begins with `*` and lacks its quotes. */
function refuseAlias(path: readonly string[], line: number, { problems }: Walk): undefined {
  problems.push(
    `Line ${line}: ${path.join('.')} has a value that begins with *, which YAML reads as an alias: write the value itself, in quotes if it does begin with *.`,
  );
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function substitute(text: string, path: readonly string[], line: number, walk: Walk): string {
  return text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = walk.environment[name];
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    walk.problems.push(
      `Line ${line}: ${path.join('.')} needs the environment variable ${name}, which is not set; ` +
        `\${${name}:-default} gives it a default.`,
    );
    return '';
  });
}

function lineOf(node: Node, { lines }: Walk): number | undefined {
  return node.range ? lines.linePos(node.range[0]).line : undefined;
}

/** The parser's messages go on with an excerpt, which may hold a secret. */
function firstLine(message: string): string {
  const [first = message] = message.split('\n');
  const at = / at line (\d+), column \d+:?$/.exec(first);
  return at ? `Line ${at[1]}: ${first.slice(0, at.index)}.` : first;
}
