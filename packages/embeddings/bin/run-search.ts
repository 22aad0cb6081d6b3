import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { alignTable, LIMITS, SearchType, type Tool } from '@winnow/core';
import {
  buildCatalogue,
  type Catalogue,
  explainTools,
  meaningText,
  RANKER_NAMES,
  RANKERS,
  readTool,
  type Selection,
  selectTools,
  type ToolExplanation,
} from '@winnow/ranking';
import { EmbeddingError } from '../src/embedder.ts';
import { openEmbedder } from '../src/open-embedder.ts';
import { PatientMeanings } from '../src/patient-meanings.ts';

/** The output of a command, line by line. */
export interface Output {
  print(line: string): void;
  printError(line: string): void;
}

const USAGE = `Usage: npm run search -- CATALOGUE "QUERY" ["QUERY" …] [options]

Ranks the tools of a catalogue for a query and shows why. Several queries, for several needs or wordings,
make one search.

CATALOGUE is a file of tools in JSON, one on each line or all in one array, as any provider defines them
or as { "name", "description", "parameters" }.

  --top N         most tools to show, 1 to ${LIMITS.topK} (default 10)
  --type TYPE     how to read the query: ${SearchType.options.join(', ')} (default auto)
  --ranker NAME   ${RANKER_NAMES.join(' or ')} (default bm25)
  --embedder E    order by meaning too: onnx:FOLDER, or URL#MODEL with its key in EMBEDDER_KEY
  --explain NAME  a tool, found or not, whose rank and words are to be shown; may be repeated
  --keep NAME     a tool to keep in the answer; may be repeated
  --help          this text`;

/** An error in the command line. */
class UsageError extends Error {}

interface Options {
  readonly path: string;
  readonly queries: readonly string[];
  readonly topK: number;
  readonly searchType: SearchType;
  readonly ranker: (typeof RANKER_NAMES)[number];
  readonly alwaysKeep: readonly string[];
  readonly explain: readonly string[];
  readonly embedder: string | undefined;
}

/**
 * Runs the command `search` and returns its exit code: 0 if the search ran, even without a match; 1 if the
 * catalogue is unreadable or the embedder fails; 2 if the command line is invalid.
 */
export async function runSearch(args: readonly string[], output: Output, embedderKey = ''): Promise<number> {
  try {
    const options = readOptions(args);
    if (options === undefined) output.print(USAGE);
    else for (const line of await search(options, embedderKey)) output.print(line);
    return 0;
  } catch (error) {
    if (error instanceof CatalogueFileError || error instanceof EmbeddingError) {
      output.printError(error.message);
      return 1;
    }
    if (error instanceof UsageError) {
      output.printError(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    throw error;
  }
}

/** Parses the command line; undefined if it asks for help. */
function readOptions(args: readonly string[]): Options | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [path, ...queries] = positionals;
  if (path === undefined) throw new UsageError('which catalogue?');
  if (queries.length === 0) throw new UsageError('which query?');
  if (queries.length > LIMITS.patterns)
    throw new UsageError(`at most ${LIMITS.patterns} queries, each in quotes`);
  if (queries.length > 1 && values.explain.length > 0) throw new UsageError('--explain takes a single query');
  return {
    path,
    queries,
    topK: readTop(values.top),
    searchType: readChoice('--type', SearchType.options, values.type),
    ranker: readChoice('--ranker', RANKER_NAMES, values.ranker),
    alwaysKeep: values.keep,
    explain: values.explain,
    embedder: values.embedder,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        top: { type: 'string', default: '10' },
        type: { type: 'string', default: 'auto' },
        ranker: { type: 'string', default: 'bm25' },
        explain: { type: 'string', multiple: true, default: [] },
        embedder: { type: 'string' },
        keep: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readTop(text: string): number {
  const top = Number(text);
  if (Number.isInteger(top) && top >= 1 && top <= LIMITS.topK) return top;
  throw new UsageError(`--top must be a whole number from 1 to ${LIMITS.topK}, not "${text}"`);
}

function readChoice<Choice extends string>(option: string, choices: readonly Choice[], text: string): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${option} must be one of ${choices.join(', ')}, not "${text}"`);
}

async function search(options: Options, embedderKey: string): Promise<string[]> {
  const embedder =
    options.embedder === undefined ? undefined : openEmbedder(options.embedder, { key: embedderKey });
  try {
    const catalogue = buildCatalogue(await readCatalogueFile(options.path), RANKERS[options.ranker]);
    return await searchCatalogue(options, catalogue, embedder && new PatientMeanings(embedder));
  } finally {
    await embedder?.close();
  }
}

async function searchCatalogue(
  { queries, topK, alwaysKeep, searchType, explain }: Options,
  catalogue: Catalogue,
  meanings: PatientMeanings | undefined,
): Promise<string[]> {
  const meaning = meanings?.source(catalogue.positions, (position) =>
    meaningText(catalogue.table.essence(position)),
  );
  const query = { pattern: queries, searchType, ...(meaning && { meaning }) };
  const selection = await selectTools(catalogue, { ...query, topK, alwaysKeep }, () => setImmediate());
  const explained = await explainTools(catalogue, explain, { ...query, pattern: queries[0]! }, () =>
    setImmediate(),
  );
  return [
    describeSelection(selection, catalogue.size),
    ...toResults(queries, selection),
    ...toTable(selection),
    ...toExplanations(explained),
    ...unknownOf(explain, explained),
  ];
}

function toExplanations(explained: readonly ToolExplanation[]): string[] {
  if (explained.length === 0) return [];
  const isMeant = explained.some(({ meaning }) => meaning !== undefined);
  const header = ['rank', 'score', ...(isMeant ? ['meaning'] : []), 'name', 'matched', 'missing'];
  const rows = explained.map(({ name, rank, score, meaning, matched, missing }) =>
    [
      String(rank ?? '-'),
      score.toFixed(3),
      ...(isMeant ? [meaning?.toFixed(3) ?? '-'] : []),
      name,
      matched.join(' ') || '-',
      missing.join(' ') || '-',
    ].map(visible),
  );
  return ['', ...alignTable([header, ...rows])];
}

function unknownOf(names: readonly string[], explained: readonly ToolExplanation[]): string[] {
  const known = new Set(explained.map(({ name }) => name));
  return names.filter((name) => !known.has(name)).map((name) => `not in the catalogue: ${visible(name)}`);
}

function describeSelection({ searchType, totalMatches, keptLeftOut }: Selection, tools: number): string {
  const parts = [`read as ${searchType}`, `${totalMatches} of ${tools} tools match`];
  if (keptLeftOut > 0) parts.push(`${keptLeftOut} to keep left out`);
  return parts.join(', ');
}

/** Describes the result of each of several queries. */
function toResults(queries: readonly string[], { byPattern = [] }: Selection): string[] {
  return byPattern.map(({ certainty, names }, place) => {
    const best = names.length === 0 ? '' : `: ${names.map(visible).join(', ')}`;
    return `"${visible(queries[place]!)}" ${certainty}${best}`;
  });
}

function toTable({ references }: Selection): string[] {
  if (references.length === 0) return [];
  const header = ['rank', 'score', 'name', 'matched on', 'summary'];
  const rows = references.map(({ name, score, matchedOn, summary }, place) => [
    String(place + 1),
    score.toFixed(3),
    visible(name),
    matchedOn.length === 0 ? 'kept' : matchedOn.join(' '),
    visible(summary),
  ]);
  return ['', ...alignTable([header, ...rows])];
}

/** Escapes text from a file, which must not move the cursor or colour the terminal. */
function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, '\ufffd');
}

/** A catalogue file that cannot be read; the message names the file and the line or element. */
export class CatalogueFileError extends Error {}

/** The position of a value, for messages: "tools.jsonl:7". */
type Place = string;

/**
 * Reads the tools of a JSON file: one per line, or all in one array. Blank lines are skipped.
 *
 * @throws CatalogueFileError if the file cannot be opened, is not JSON, or has a tool without a name.
 */
export async function readCatalogueFile(path: string): Promise<Tool[]> {
  const tools: Tool[] = [];
  let array: string[] | undefined;
  let number = 0;
  for await (const line of readLines(path)) {
    number += 1;
    const text = (number === 1 ? line.replace(/^\ufeff/, '') : line).trim();
    if (array !== undefined) array.push(line);
    else if (text.startsWith('[') && tools.length === 0) array = [text];
    else if (text !== '') tools.push(toTool(parseJson(text, `${path}:${number}`), `${path}:${number}`));
  }
  return array === undefined ? tools : readArray(path, array.join('\n'));
}

async function* readLines(path: string): AsyncGenerator<string> {
  const stream = createReadStream(path, 'utf8');
  try {
    yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new CatalogueFileError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    stream.destroy();
  }
}

function readArray(path: string, text: string): Tool[] {
  const values = parseJson(text, path);
  if (!Array.isArray(values)) throw new CatalogueFileError(`${path}: not an array of tools`);
  return values.map((value, index) => toTool(value, `${path}[${index}]`));
}

function parseJson(text: string, place: Place): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogueFileError(`${place}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function toTool(value: unknown, place: Place): Tool {
  const reading = readTool(value);
  if (reading.ok) return reading.tool;
  const { path, message } = reading;
  throw new CatalogueFileError(`${place}${path === '' ? '' : `, ${path}`}: ${message}`);
}
