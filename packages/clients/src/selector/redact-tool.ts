import type { Tool } from '@winnow/core';
import { EXAMPLES_KEY, toDocument } from '@winnow/ranking';

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
export function minimalDefinition(definition: JsonObject): Record<string, unknown> {
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
