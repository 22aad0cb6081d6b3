import { parseJson, readText, type SearchFailure, type Tool } from '@winnow/core';
import { EXAMPLES_KEY, toDocument } from '@winnow/ranking';
import type { HttpPool } from '@winnow/service';
import { z } from 'zod';

/** Tools for repeated searches. */
export interface SearchableTools {
  /** Hash of the tools: equal for equal tools only. */
  readonly id: string;
  /** Each name once. */
  readonly tools: readonly Tool[];
  /** The length of each definition, by name; absent if definitions are not loaded. */
  readonly sizes?: ReadonlyMap<string, number>;
}

export type SearchOutcome =
  | {
      readonly ok: true;
      /** Names of the searched tools, most relevant first, each once. */
      readonly names: readonly string[];
      /** For each name, its relevance as a share of the best one's; absent if the selector gives none. */
      readonly scores?: readonly number[];
      /** Whether nothing matched: any names are there only because they are always kept. */
      readonly isNoMatch: boolean;
      /** Set if all matches are so weak that none of them may be what was meant. */
      readonly isWeak?: true;
      /** Words of the query that no tool contains in any form, if the search was weak or found nothing. */
      readonly unknownWords?: readonly string[];
      /** The results of several queries, in their order; absent for one, and if the selector gives none. */
      readonly byQuery?: readonly QueryOutcome[];
    }
  | { readonly ok: false; readonly reason: SearchFailure };

/** The result of one of several queries. */
interface QueryOutcome {
  readonly certainty: 'found' | 'weak' | 'none';
  /** The best matches, most relevant first; at most three. */
  readonly names: readonly string[];
  readonly unknownWords: readonly string[];
}

/** The parts of a response that are validated; the rest is ignored. */
const Selection = z.object({
  selected_names: z.array(z.string()),
  no_match: z.boolean().optional(),
  // Missing in responses of older selectors, and of others that speak this contract.
  certainty: z.string().optional(),
  unknown_words: z.array(z.string()).optional(),
  tool_references: z.array(z.object({ tool_name: z.string(), relevance_score: z.number() })).optional(),
  by_pattern: z
    .array(
      z.object({
        selected_names: z.array(z.string()),
        certainty: z.enum(['weak', 'none']).optional(),
        unknown_words: z.array(z.string()).default([]),
      }),
    )
    .optional()
    .catch(undefined),
});

/** The bounds for judging a response. */
interface ResponseBounds {
  /** Names that were sent. */
  readonly known: ReadonlySet<string>;
  /** Maximum number of names to accept. */
  readonly limit: number;
  /** Names that are never cut if the selector returns them. */
  readonly alwaysKeep: readonly string[];
}

/**
 * Judges the parsed JSON body of a selector's response.
 *
 * Unknown names and repetitions are dropped, the order is kept, and only the best `limit` names remain. A
 * body that is not a selection is an `api_error`.
 */
export function judgeResponse(body: unknown, { known, limit, alwaysKeep }: ResponseBounds): SearchOutcome {
  const parsed = Selection.safeParse(body);
  if (!parsed.success) return { ok: false, reason: 'api_error' };
  const given = [...new Set(parsed.data.selected_names)];
  const names = cut(
    given.filter((name) => known.has(name)),
    limit,
    new Set(alwaysKeep),
  );
  const { certainty, unknown_words: unknown = [], tool_references: references } = parsed.data;
  const unknownWords = boundWords(unknown);
  const byQuery = parsed.data.by_pattern?.map((one) => ({
    certainty: one.certainty ?? ('found' as const),
    names: one.selected_names.filter((name) => known.has(name)).slice(0, MOST_NAMES_OF_EACH),
    unknownWords: boundWords(one.unknown_words),
  }));
  const told = { ...(unknownWords.length > 0 && { unknownWords }), ...(byQuery && { byQuery }) };
  if (parsed.data.no_match === true) return { ok: true, names, isNoMatch: true, ...told };
  if (given.length === 0) return { ok: false, reason: 'empty_selection' };
  if (names.length === 0) return { ok: false, reason: 'unknown_selection_names' };
  if (certainty === 'weak') return { ok: true, names, isNoMatch: false, isWeak: true, ...told };
  const scoreOf = new Map(references?.map((one) => [one.tool_name, one.relevance_score]));
  const scores = names.map((name) => scoreOf.get(name));
  const isScored = scores.every((score) => score !== undefined);
  return { ok: true, names, isNoMatch: false, ...(isScored && { scores }), ...(byQuery && { byQuery }) };
}

function boundWords(words: readonly string[]): readonly string[] {
  return words.slice(0, MOST_WORDS).map((word) => word.slice(0, MOST_WORD_CHARS));
}

/** Bounds on the unknown words of a response, which a model reads. */
const MOST_WORDS = 8;
const MOST_WORD_CHARS = 40;

const MOST_NAMES_OF_EACH = 3;

/**
 * Returns the first `limit` names. Names to keep are never cut; they take the slots of other names, but not
 * the first one.
 */
function cut(names: readonly string[], limit: number, alwaysKeep: ReadonlySet<string>): string[] {
  const keptCount = names.filter((name) => alwaysKeep.has(name)).length;
  let room = Math.max(limit - keptCount, 1);
  return names.filter((name) => alwaysKeep.has(name) || room-- > 0);
}

export interface SelectorResponse {
  readonly status: number;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
}

/** Maximum size of a response, in bytes; it is only a list of names. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Reads a whole response. Rejects if the body is too large or breaks off. */
export async function readResponse({
  statusCode,
  body,
}: Awaited<ReturnType<HttpPool['request']>>): Promise<SelectorResponse> {
  const text = await readText(body, { maxBytes: MAX_BODY_BYTES });
  if (text === undefined) throw new RangeError('the response is too large');
  return { status: statusCode, body: parseJson(text) };
}

/** Rules for the data that the selector may see. */
export interface RedactOptions {
  /** Tools whose descriptions are not sent. */
  readonly descriptions: readonly string[];
  /** Sends the client's whole tool object, or only names, types, texts and enumerations of its parameters, and examples of requests. */
  readonly sendDefinition: 'full' | 'minimal';
}

/**
 * Returns a tool as the selector may see it. A tool with a withheld description has only its parameter names
 * sent.
 */
export function redactTool(tool: Tool, { descriptions, sendDefinition }: RedactOptions): Tool {
  const isSecret = descriptions.includes(tool.name);
  if (!isSecret && sendDefinition === 'full') return tool;
  const { name, description, definition } = tool;
  if (isSecret) return { name, definition: onlyParameterNames(tool) };
  return { name, description, ...(definition && { definition: minimalDefinition(definition) }) };
}

/** Returns a schema in the simplest supported format: names without texts or values. */
function onlyParameterNames(tool: Tool): Record<string, unknown> {
  const names = toDocument(tool).parameters.map((parameter) => parameter.name);
  const properties = Object.fromEntries(names.filter((name) => name !== '').map((name) => [name, {}]));
  return { parameters: { type: 'object', properties } };
}

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Members that lead from a provider's tool object to its schema. Kept so that references within the object
 * still resolve.
 */
const HOLDERS: ReadonlySet<string> = new Set(['function', 'toolSpec']);
const SCHEMAS: ReadonlySet<string> = new Set([
  'parameters',
  'input_schema',
  'inputSchema',
  'parametersJsonSchema',
]);

/** Keywords whose value is kept unchanged: types, texts, enumerations and references. */
const KEPT: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'enum', 'const', '$ref'],
  EXAMPLES_KEY,
]);
/** Keywords that hold one schema or a list of schemas. */
const SUBSCHEMAS: ReadonlySet<string> = new Set([
  'json',
  'items',
  'prefixItems',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
]);
/** Keywords that hold schemas by name. */
const NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
]);

/** The greatest schema depth that is kept; rankers read no deeper, and real schemas are far shallower. */
const MOST_DEPTH = 48;

/**
 * Returns the parts of a tool object that a search needs: names, types, texts and enumerations of its
 * parameters. Defaults, examples and all other members are omitted.
 *
 * A ranker reads the same text from it as from the whole object. Never throws.
 */
function minimalDefinition(definition: JsonObject): Record<string, unknown> {
  const kept = keptOf(definition);
  for (const key of HOLDERS) {
    const held = definition[key];
    if (isObject(held)) kept[key] = keptOf(held);
  }
  return kept;
}

function keptOf(holder: JsonObject): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  if (holder[EXAMPLES_KEY] !== undefined) kept[EXAMPLES_KEY] = holder[EXAMPLES_KEY];
  for (const key of SCHEMAS) {
    const schema = holder[key];
    if (isObject(schema)) kept[key] = minimalSchema(schema, 0);
  }
  return kept;
}

function minimalSchema(schema: JsonObject, depth: number): JsonObject {
  const kept: [string, unknown][] = [];
  if (depth > MOST_DEPTH) return {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (KEPT.has(keyword)) kept.push([keyword, value]);
    else if (SUBSCHEMAS.has(keyword)) kept.push([keyword, minimalSchemas(value, depth + 1)]);
    else if (NAMED_SCHEMAS.has(keyword) && isObject(value)) {
      const named = Object.entries(value).map(
        ([name, one]) => [name, minimalSchemas(one, depth + 1)] as const,
      );
      kept.push([keyword, Object.fromEntries(named)]);
    }
  }
  // Not by assignment: a parameter may be called `__proto__`.
  return Object.fromEntries(kept);
}

/**
 * Reduces schemas; a boolean schema says only whether a value is allowed, and any other value becomes an
 * empty schema.
 */
function minimalSchemas(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => minimalSchemas(one, depth));
  return isObject(value) ? minimalSchema(value, depth) : typeof value === 'boolean' ? value : {};
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
