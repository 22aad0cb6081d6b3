import { isJsonObject, type JsonObject } from '../canonical-json.ts';

/** Keywords that say nothing about a value to write. */
const SILENT = new Set(['$schema', '$vocabulary', '$comment', 'examples', 'example']);

/** Keywords whose value is a schema, or a list of schemas. */
const SCHEMAS = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'contains',
  'contentSchema',
  'propertyNames',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
]);

/** Keywords whose value has a schema for each name. Such names are never keywords. */
const NAMED_SCHEMAS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Deepest schema that is changed; deeper ones stay as they are. */
const MAX_DEPTH = 64;

/**
 * Returns a JSON Schema without keywords that carry no meaning for a call. Names of properties, values to
 * choose from, and everything that is not known to be a keyword stay.
 */
export function compactSchema(schema: unknown): unknown {
  return compact(schema, { keepsIds: refersToIds(schema), depth: 0 });
}

interface Place {
  /** Whether references may need `$id`. */
  readonly keepsIds: boolean;
  readonly depth: number;
}

function compact(schema: unknown, { keepsIds, depth }: Place): unknown {
  if (depth > MAX_DEPTH) return schema;
  const inner = { keepsIds, depth: depth + 1 };
  if (Array.isArray(schema)) return schema.map((one) => compact(one, inner));
  if (!isJsonObject(schema)) return schema;
  const members = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (SILENT.has(key) || (key === '$id' && !keepsIds)) return [];
    if (key === 'title' && !isOnlyLabel(schema)) return [];
    if (SCHEMAS.has(key)) return [[key, compact(value, inner)]];
    return [[key, NAMED_SCHEMAS.has(key) ? compactEach(value, inner) : value]];
  });
  return Object.fromEntries(members);
}

function compactEach(value: unknown, inner: Place): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, compact(schema, inner)]));
}

/** Whether a title is the only text that tells what a fixed value means. */
function isOnlyLabel(schema: JsonObject): boolean {
  return Object.hasOwn(schema, 'const') && !Object.hasOwn(schema, 'description');
}

/** Whether a schema may have references that `$id` resolves. */
function refersToIds(schema: unknown): boolean {
  return /"\$(?:ref|dynamicRef|recursiveRef)":"(?!#\/|#")/.test(JSON.stringify(schema) ?? '');
}
