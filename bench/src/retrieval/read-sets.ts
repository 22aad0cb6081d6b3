import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../input-error.ts';

/** Tools, and queries with known right results among them. */
export interface RetrievalSet {
  readonly name: string;
  readonly tools: readonly SetTool[];
  readonly queries: readonly SetQuery[];
  /** Problems in the files that do not make them useless, each with file and line. */
  readonly warnings: readonly string[];
}

/** A line of `tools.jsonl`. */
export interface SetTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema. */
  readonly parameters: Record<string, unknown> | undefined;
}

/** A line of `queries.jsonl`. */
export interface SetQuery {
  /** Unique within the set. */
  readonly id: string;
  readonly text: string;
  /** Not empty. */
  readonly gold: ReadonlySet<string>;
  /** The tools to choose from, if the query comes with its own list. */
  readonly candidates: readonly string[] | undefined;
}

const TOOLS_FILE = 'tools.jsonl';
const QUERIES_FILE = 'queries.jsonl';

/**
 * Reads the sets in a folder: one folder per set with `tools.jsonl` and `queries.jsonl`, directly or below
 * `retrieval/`.
 *
 * @param only names of the sets to read; default: all.
 * @throws InputError with file and line for an invalid file, and for a missing set.
 */
export function readSets(directory: string, only?: readonly string[]): RetrievalSet[] {
  const root = existsSync(join(directory, 'retrieval')) ? join(directory, 'retrieval') : directory;
  const found = setNames(root);
  const missing = only?.find((name) => !found.includes(name));
  if (missing !== undefined)
    throw new InputError(`no set "${missing}" in ${root}; there are: ${found.join(', ')}`);
  return (only ?? found).map((name) => readSet(join(root, name), name));
}

function setNames(root: string): string[] {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) throw new InputError(`no folder ${root}`);
  const names = readdirSync(root).filter((name) => existsSync(join(root, name, QUERIES_FILE)));
  if (names.length === 0)
    throw new InputError(`no set in ${root}: expected folders with ${TOOLS_FILE} and ${QUERIES_FILE}`);
  return names.sort();
}

function readSet(folder: string, name: string): RetrievalSet {
  const tools = readLines(join(folder, TOOLS_FILE)).map(toTool);
  const queryLines = readLines(join(folder, QUERIES_FILE));
  const queries = queryLines.map(toQuery);
  if (tools.length === 0 || queries.length === 0)
    throw new InputError(`${folder}: a set needs tools and queries`);
  refuseRepeatedIds(queryLines, queries);

  const known = new Set(tools.map((tool) => tool.name));
  const warnings = queryLines.flatMap((line, position) =>
    unknownNames(line, queries[position] as SetQuery, known),
  );
  return { name, tools, queries: queries.map((query) => withKnownCandidates(query, known)), warnings };
}

interface Line {
  readonly file: string;
  readonly number: number;
  readonly value: Record<string, unknown>;
}

function readLines(file: string): Line[] {
  if (!existsSync(file)) throw new InputError(`no file ${file}`);
  const texts = readFileSync(file, 'utf8').split('\n');
  return texts.flatMap((text, position) =>
    text.trim() === '' ? [] : [{ file, number: position + 1, value: parseLine(text, file, position + 1) }],
  );
}

function parseLine(text: string, file: string, number: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${file}:${number}: not JSON: ${(error as Error).message}`);
  }
  if (!isObject(value)) throw new InputError(`${file}:${number}: expected an object`);
  return value;
}

function toTool(line: Line): SetTool {
  const { description, parameters } = line.value;
  expect(
    description == null || typeof description === 'string',
    line,
    '"description" must be a string or null',
  );
  expect(parameters == null || isObject(parameters), line, '"parameters" must be an object or null');
  return {
    name: textOf(line, 'name'),
    description: (description as string | null | undefined) ?? '',
    parameters: (parameters as Record<string, unknown> | null | undefined) ?? undefined,
  };
}

function toQuery(line: Line): SetQuery {
  const gold = new Set(namesOf(line, 'gold'));
  expect(gold.size > 0, line, '"gold" must name at least one tool');
  const candidates = line.value.candidates == null ? undefined : [...new Set(namesOf(line, 'candidates'))];
  return { id: textOf(line, 'id'), text: textOf(line, 'query'), gold, candidates };
}

function textOf(line: Line, key: string): string {
  const value = line.value[key];
  expect(typeof value === 'string' && value !== '', line, `"${key}" must be a string that is not empty`);
  return value as string;
}

function namesOf(line: Line, key: string): string[] {
  const value = line.value[key];
  const isNames = Array.isArray(value) && value.every((name) => typeof name === 'string');
  expect(isNames, line, `"${key}" must be a list of tool names`);
  return value as string[];
}

function expect(holds: boolean, { file, number }: Line, message: string): void {
  if (!holds) throw new InputError(`${file}:${number}: ${message}`);
}

/** Runs are compared query by query, so ids must be unique. */
function refuseRepeatedIds(lines: readonly Line[], queries: readonly SetQuery[]): void {
  const seen = new Set<string>();
  for (const [position, { id }] of queries.entries()) {
    expect(!seen.has(id), lines[position] as Line, `the id "${id}" is used a second time`);
    seen.add(id);
  }
}

function unknownNames({ file, number }: Line, query: SetQuery, known: ReadonlySet<string>): string[] {
  const say = (what: string, name: string, effect: string): string =>
    `${file}:${number}: ${what} "${name}" is not in ${TOOLS_FILE}; ${effect}`;
  return [
    ...[...query.gold]
      .filter((name) => !known.has(name))
      .map((name) => say('gold', name, 'it counts as never found')),
    ...(query.candidates ?? [])
      .filter((name) => !known.has(name))
      .map((name) => say('candidate', name, 'it is left out')),
  ];
}

function withKnownCandidates(query: SetQuery, known: ReadonlySet<string>): SetQuery {
  return { ...query, candidates: query.candidates?.filter((name) => known.has(name)) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
