/**
 * A public data set, with the conversion of its repository's files into the files that the benches read.
 */
export interface SetSource<Converted = ConvertedSet> {
  /** The folder's name. */
  readonly name: string;
  /** `OWNER/NAME` on GitHub. */
  readonly repository: string;
  /** The full hash. */
  readonly commit: string;
  /** SPDX identifier. */
  readonly licence: string;
  /** The files to convert, by their paths in the repository. */
  readonly files: readonly string[];
  /** The licence's path in the repository; its text is written next to the set. */
  readonly licenceFile: string;
  /** Known problems of the set, one sentence each. */
  readonly faults: readonly string[];
  /** Hashes of `{part}.jsonl` as the committed tables were measured on them, in hexadecimal. */
  readonly sha256: Readonly<Record<string, string>>;
  /** @throws if the files do not have the shape that they have at `commit`. */
  readonly convert: (read: ReadText) => Converted;
}

/** Returns the text of one of the source's `files`. */
export type ReadText = (path: string) => string;

/** The lines of each file of a set. */
export interface ConvertedSet {
  readonly tools: readonly ToolLine[];
  readonly queries: readonly QueryLine[];
}

/** The lines of each file of a set of recorded conversations. */
export interface RecordedSet {
  readonly tools: readonly ToolLine[];
  readonly conversations: readonly ConversationLine[];
}

/** A line of `conversations.jsonl`: a recorded conversation of an agent. */
export interface ConversationLine {
  readonly id: string;
  /** The user's messages, each with the agent's way to its answer. */
  readonly turns: readonly {
    readonly user: string;
    readonly steps: readonly (readonly RecordedCall[])[];
    readonly answer: string;
  }[];
}

/** A recorded call with its result. */
export interface RecordedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly result: string;
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
  /** Whether one tool or several are needed. */
  readonly kind: 'request' | 'request-multi';
  /** The tools to choose from, if the query comes with its own list. */
  readonly candidates?: readonly string[];
}

/**
 * Returns the values of a file with one JSON value per line. A number like `1.0` keeps its spelling: raw
 * JSON, for `JSON.stringify`.
 */
export function parseLines<Value>(text: string): Value[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line, keepDecimals) as Value);
}

function keepDecimals(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return Number.isInteger(value) && source?.includes('.') ? JSON.rawJSON(source) : value;
}

/** Keeps the first value for each key. */
export function uniqueBy<Value>(values: Iterable<Value>, keyOf: (value: Value) => string): Value[] {
  const kept = new Map<string, Value>();
  for (const value of values) if (!kept.has(keyOf(value))) kept.set(keyOf(value), value);
  return [...kept.values()];
}

/**
 * Returns the queries with trimmed text. Queries with the same text are merged into the first, with the gold
 * names of all.
 */
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

/** Returns `candidates` if a query's own list has at least two names to choose from; nothing otherwise. */
export function ownList(names: readonly string[]): Pick<QueryLine, 'candidates'> {
  const candidates = [...new Set(names)];
  return candidates.length > 1 ? { candidates } : {};
}

/** Orders by UTF-16 code units, the same on every machine. */
export function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
