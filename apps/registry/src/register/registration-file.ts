import { repairNames } from '@winnow/mcp';
import {
  checkRegistration,
  isJsonObject,
  type Json,
  type JsonObject,
  type Registration,
} from '@winnow/registry';
import { readDocument } from '@winnow/service';
import { isOpenApi, readOpenApi } from './open-api.ts';
import { backendOf, type Candidate, type Placement } from './placement.ts';

/** One tool of a file, ready to be registered. */
export interface Entry {
  /** Its place, for messages: `tools.jsonl:7`, `api.yaml: GET /pets`. */
  readonly place: string;
  readonly registration: Registration;
}

/** All tools of a file, or all of its problems, one sentence each with its place. */
type FileReading =
  | {
      readonly ok: true;
      readonly entries: readonly Entry[];
      readonly notices: readonly string[];
      /** Operations that cannot be tools, a sentence each. */
      readonly leftOut: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the tools of a text: JSON, one on each line or all in one array or `{ "tools": [] }`; or an OpenAPI
 * document in JSON or YAML, whose operations become tools, and those that cannot are named. Any other tool with a
 * problem makes the whole file unusable. Never throws.
 */
export function readRegistrationFile(name: string, text: string, placement: Placement): FileReading {
  const { values, problems } = readValues(name, text);
  const leftOut: string[] = [];
  const operations = new Set<string>();
  const candidates = values.flatMap(({ place, value }) => {
    const isDocument = isOpenApi(value);
    const read = isDocument ? readOpenApi(value, place, placement) : [readToolShape(value, place, placement)];
    return read.filter((one) => {
      if (typeof one === 'string') (isDocument ? leftOut : problems).push(one);
      else if (isDocument) operations.add(one.place);
      return typeof one !== 'string';
    });
  });
  const { entries, notices } = renamed(candidates);
  const usable = entries.filter((entry) => {
    const found = problemsOf(entry);
    const isOperation = operations.has(entry.place);
    (isOperation ? leftOut : problems).push(...found);
    return found.length === 0 || !isOperation;
  });
  problems.push(...repetitions(usable));
  if (problems.length === 0 && usable.length === 0) problems.push(...leftOut);
  if (problems.length > 0) return { ok: false, problems: [...new Set(problems)] };
  if (usable.length === 0) return { ok: false, problems: [`${name}: there are no tools in it.`] };
  return { ok: true, entries: usable as Entry[], notices, leftOut: [...new Set(leftOut)] };
}

interface PlacedValue {
  readonly place: string;
  readonly value: unknown;
}

/** The values of a file, and the problems of its unreadable parts. */
interface Values {
  readonly values: readonly PlacedValue[];
  readonly problems: string[];
}

function readValues(name: string, text: string): Values {
  const plain = text.replace(/^\ufeff/, '');
  const whole = parse(plain);
  if (whole.ok) return { values: membersOf(name, whole.value), problems: [] };
  const texts = plain
    .split(/\r?\n/)
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ line, place: `${name}:${index + 1}` }]));
  // Large documents in YAML have a hundred thousand lines.
  if (texts.filter(({ line }) => line.startsWith('{')).length <= texts.length / 2)
    return readOneDocument(name, plain);
  const lines = texts.map(({ line, place }) => ({ place, ...parse(line) }));
  const tools = lines.filter((line) => line.ok && isJsonObject(line.value));
  if (tools.length <= lines.length / 2) return readOneDocument(name, plain);
  return {
    values: lines.flatMap((line) => (line.ok ? [line] : [])),
    problems: lines.flatMap((line) => (line.ok ? [] : [`${line.place}: ${line.problem}`])),
  };
}

/** Reads a text that is neither JSON nor JSON by lines: YAML, or JSON with an error. */
function readOneDocument(name: string, text: string): Values {
  if (text.trim() === '') return { values: [], problems: [`${name}: the file is empty.`] };
  const document = readDocument(text);
  if (!document.ok) return { values: [], problems: document.problems.map((one) => `${name}: ${one}`) };
  if (isOpenApi(document.value)) return { values: [{ place: name, value: document.value }], problems: [] };
  const problem = `${name}: not tools in JSON, one per line, and not an OpenAPI document.`;
  return { values: [], problems: [problem] };
}

function membersOf(name: string, value: unknown): PlacedValue[] {
  const list = isJsonObject(value) && Array.isArray(value.tools) ? value.tools : value;
  if (!Array.isArray(list)) return [{ place: name, value }];
  return list.map((member: unknown, index) => ({ place: `${name}[${index}]`, value: member }));
}

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: string };

function parse(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
}

/** Registrations that need no name of the registry's own, and those that got one, each with a notice. */
function renamed(candidates: readonly Candidate[]) {
  const names = repairNames(new Set(candidates.flatMap(({ ownName }) => ownName ?? [])));
  const notices: string[] = [];
  const entries = candidates.map(({ place, ownName, registration }) => {
    const name = ownName === undefined ? undefined : names.get(ownName);
    if (name === undefined || name === ownName) return { place, registration };
    notices.push(`${place}: "${ownName}" is registered as "${name}".`);
    const { tool, ...rest } = registration as Registration;
    return { place, registration: { ...rest, tool: { ...tool, name } } };
  });
  return { entries, notices };
}

interface Unchecked {
  readonly place: string;
  readonly registration: unknown;
}

function problemsOf({ place, registration }: Unchecked): string[] {
  return checkRegistration(registration, 'at').map(
    ({ path, message }) =>
      `${place}${path.replace(/^at(?:\.tool(?=\.))?\.?/, ', ').replace(/^, $/, '')}: ${message}`,
  );
}

/** Registering an id twice would leave only the last one. */
function repetitions(entries: readonly Unchecked[]): string[] {
  const places = new Map<string, string>();
  return entries.flatMap(({ place, registration }) => {
    const { namespace, tool } = registration as Partial<Registration>;
    if (typeof tool?.name !== 'string') return [];
    const id = namespace ? `${namespace}:${tool.name}` : tool.name;
    const first = places.get(id);
    if (first === undefined) places.set(id, place);
    return first === undefined ? [] : [`${place}: the same tool, ${id}, is at ${first} already.`];
  });
}

/**
 * Reads one tool as MCP, OpenAI, Anthropic, Gemini or Bedrock define it, or a whole registration. Returns the
 * problem as a sentence if it is none of them.
 */
function readToolShape(value: unknown, place: string, placement: Placement): Candidate | string {
  if (!isJsonObject(value)) return `${place}: a tool must be a JSON object.`;
  const { namespace, tags, backend } = placement;
  const around = { ...(namespace !== undefined && { namespace }), ...(tags.length > 0 && { tags }) };
  if ('tool' in value) {
    const chosen = backend ?? { kind: 'local' };
    const name = isJsonObject(value.tool) ? String(value.tool.name) : '';
    const registration = { backend: backendOf(chosen, name), ...around, ...value };
    return { place, ownName: undefined, registration };
  }
  const holder = [value.function, value.toolSpec].find(isJsonObject) ?? value;
  const { name } = holder;
  if (typeof name !== 'string' || name === '') return `${place}: the tool needs a name.`;
  const choice = backend ?? { kind: 'local' };
  return {
    place,
    // The tools of an MCP server have the names that the server gives them.
    ownName: choice.kind === 'mcp' ? undefined : name,
    registration: { ...around, tool: toMcp(holder, name), backend: backendOf(choice, name) },
  };
}

function toMcp(holder: JsonObject, name: string): JsonObject {
  const { description, parameters, input_schema, parametersJsonSchema, inputSchema } = holder;
  const foreign = parametersJsonSchema ?? input_schema ?? plainTypes(parameters);
  if (inputSchema === undefined && foreign !== undefined) {
    return { name, ...(typeof description === 'string' && { description }), inputSchema: foreign };
  }
  // Bedrock wraps the schema once more.
  const isWrapped = isJsonObject(inputSchema) && isJsonObject(inputSchema.json);
  return { ...holder, inputSchema: isWrapped ? inputSchema.json! : (inputSchema ?? { type: 'object' }) };
}

/** Gemini's own schemas have types in capitals; all other schemas stay unchanged. */
function plainTypes(schema: Json | undefined): Json | undefined {
  if (!isJsonObject(schema) || typeof schema.type !== 'string' || schema.type !== schema.type.toUpperCase())
    return schema;
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === 'type' && typeof value === 'string' ? value.toLowerCase() : value,
  ) as Json;
}
