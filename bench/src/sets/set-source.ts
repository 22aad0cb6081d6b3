/** A public data set, and how its repository's files become the two files that the benches read. */
export interface SetSource {
  /** The folder's name. */
  readonly name: string;
  /** `OWNER/NAME` on GitHub. */
  readonly repository: string;
  /** The full hash. */
  readonly commit: string;
  /** SPDX identifier. */
  readonly licence: string;
  /** What is converted, by paths in the repository. */
  readonly files: readonly string[];
  /** The licence's text in the repository; written beside the set. */
  readonly licenceFile: string;
  /** What is known to be odd about the set, a sentence each. */
  readonly faults: readonly string[];
  /** Hashes of `tools.jsonl` and `queries.jsonl` as the committed tables were measured on them, in hexadecimal. */
  readonly sha256: { readonly tools: string; readonly queries: string };
  /** @throws where the files have not the shape that they have at `commit`. */
  readonly convert: (read: ReadText) => ConvertedSet;
}

/** The text of one of the source's `files`. */
export type ReadText = (path: string) => string;

export interface ConvertedSet {
  readonly tools: readonly ToolLine[];
  readonly queries: readonly QueryLine[];
}

/** A line of `tools.jsonl`; its keys in this order. */
export interface ToolLine {
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema | null;
  /** The server or field that the tool belongs to. */
  readonly group: string | null;
}

/** A JSON schema of an object. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: unknown;
}

/** A line of `queries.jsonl`; its keys in this order. */
export interface QueryLine {
  readonly id: string;
  readonly query: string;
  readonly gold: readonly string[];
  /** Whether one tool answers the query, or several. */
  readonly kind: 'request' | 'request-multi';
  /** The tools to choose from, where the query comes with its own list. */
  readonly candidates?: readonly string[];
}

/** The values of a file with one JSON value in each line. A number like `1.0` stays as it is written: raw JSON, for `JSON.stringify`. */
export function parseLines<Value>(text: string): Value[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line, keepDecimals) as Value);
}

function keepDecimals(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return Number.isInteger(value) && source?.includes('.') ? JSON.rawJSON(source) : value;
}

/** Keeps the first of those with the same key. */
export function uniqueBy<Value>(values: Iterable<Value>, keyOf: (value: Value) => string): Value[] {
  const kept = new Map<string, Value>();
  for (const value of values) if (!kept.has(keyOf(value))) kept.set(keyOf(value), value);
  return [...kept.values()];
}

/** The queries with trimmed text. Of those with the same text the first stays and gets the gold names of all. */
export function mergeQueries(queries: readonly QueryLine[]): QueryLine[] {
  const merged = new Map<string, QueryLine>();
  for (const query of queries) {
    const text = query.query.trim();
    const before = merged.get(text);
    const gold = [...new Set([...(before?.gold ?? []), ...query.gold])];
    merged.set(text, { ...(before ?? { ...query, query: text }), gold });
  }
  return [...merged.values()];
}

/** `candidates` where a query's own list has at least two names to choose from; nothing otherwise. */
export function ownList(names: readonly string[]): Pick<QueryLine, 'candidates'> {
  const candidates = [...new Set(names)];
  return candidates.length > 1 ? { candidates } : {};
}

/** Orders by UTF-16 code units, the same on every machine. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
