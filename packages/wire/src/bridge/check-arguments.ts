import { findSizeError, type ValidationError, validateJson } from '@winnow/core';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/** The deepest nesting of schemas and values that is looked into. */
const MOST_NESTED = 32;

/**
 * Returns what is wrong with the arguments of a call; empty when the client may accept them. Arguments that
 * are too large to check, schemas that cannot be checked, and patterns count as fitting. An explicit null for
 * an optional member counts as absent, and types may be written as Gemini does (`STRING`, `nullable`).
 */
export function checkArguments(parameters: unknown, given: JsonObject): readonly ValidationError[] {
  if (!isJsonObject(parameters)) return [];
  const value = withoutNulls(parameters, given, 0);
  if (findSizeError(value) !== undefined) return [];
  const checked = validateJson(plainSchema(parameters), value, () => undefined);
  return checked.result === 'invalid' ? checked.errors : [];
}

/** Returns a value without members that are null and optional. */
function withoutNulls(schema: unknown, value: unknown, nested: number): unknown {
  if (!isJsonObject(schema) || nested > MOST_NESTED) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(schema.items, item, nested + 1));
  const { properties, required } = schema;
  if (!isJsonObject(value) || !isJsonObject(properties)) return value;
  const isRequired = (key: string) => Array.isArray(required) && required.includes(key);
  const members = Object.entries(value).flatMap(([key, member]) => {
    if (!Object.hasOwn(properties, key)) return [[key, member]];
    return member === null && !isRequired(key)
      ? []
      : [[key, withoutNulls(properties[key], member, nested + 1)]];
  });
  return Object.fromEntries(members);
}

const TYPES: ReadonlySet<string> = new Set(
  ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'].map((type) => type.toUpperCase()),
);

/** Returns a schema in plain JSON Schema. The result is remembered. */
function plainSchema(schema: JsonObject): unknown {
  const known = plain.get(schema);
  if (known !== undefined) return known;
  const written = toPlain(schema, 0);
  plain.set(schema, written);
  return written;
}

const plain = new WeakMap<object, unknown>();

function toPlain(schema: unknown, nested: number): unknown {
  if (nested > MOST_NESTED) return true;
  if (Array.isArray(schema)) return schema.map((one) => toPlain(one, nested + 1));
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, toPlain(value, nested + 1)]);
  const { type, nullable } = schema;
  if (typeof type !== 'string') return Object.fromEntries(entries);
  const plainType = TYPES.has(type) ? type.toLowerCase() : type;
  return {
    ...Object.fromEntries(entries),
    type: nullable === true ? [plainType, 'null'] : plainType,
  };
}
