import { editDistance, findSizeError, type ValidationError, validateJson } from '@winnow/core';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { parseArguments } from '../json/scan-json.ts';
import { squeezed } from '../tools/hidden-names.ts';
import type { Bridge } from './bridge.ts';

/** The text for a call whose tool is not known. */
export const MALFORMED = 'Give the name of the tool as "name" and its arguments, an object, as "arguments".';

/** A reason why a bridge call cannot work. */
export interface CallProblem {
  /** The text for the model. */
  readonly text: string;
  /** The declared tool that it meant; undefined when there is none of its name. */
  readonly name: string | undefined;
}

/**
 * Returns what is wrong with a call of a tool whose definition the model may not have read; undefined for a
 * call that the client may accept. `name` is undefined when the model gave none.
 */
export function judgeCall(bridge: Bridge, name: string | undefined, given: string): CallProblem | undefined {
  if (name === undefined) {
    return {
      name,
      text: MALFORMED,
    };
  }
  if (bridge.isOwn(name)) return undefined;
  const tool = bridge.callable.get(name);
  if (tool === undefined) return { name: undefined, text: unknownText(bridge, name) };
  const parsed = parseArguments(given);
  if (parsed === undefined) return { name, text: `The arguments of ${name} must be an object.` };
  const errors = checkArguments(tool.parameters, parsed);
  if (errors.length === 0) return undefined;
  const told = errors.slice(0, MOST_ERRORS).map(({ path, message }) => `${path || 'They'} ${message}`);
  return { name, text: `The arguments of ${name} do not fit its definition: ${told.join('; ')}.` };
}

const MOST_ERRORS = 5;
const MOST_NEAR = 3;

/** The longest part of a name that is repeated, in characters. */
const NAME_CHARS = 128;

function unknownText({ callable, searchToolName }: Bridge, name: string): string {
  const near = nearestNames(name, [...callable.keys()]);
  const similar = near.length > 0 ? ` Similar names: ${near.join(', ')}.` : '';
  const search = searchToolName === undefined ? '' : ` Search for it with ${searchToolName}.`;
  return `There is no tool named ${JSON.stringify(name.slice(0, NAME_CHARS))}.${similar}${search}`;
}

/** Returns the names that are spelt like this one, the nearest first. */
function nearestNames(name: string, names: readonly string[]): string[] {
  const written = squeezed(name);
  const limit = Math.max(2, Math.floor(written.length / 3));
  return names
    .map((one) => ({ one, distance: distanceOf(written, squeezed(one), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((left, right) => left.distance - right.distance)
    .slice(0, MOST_NEAR)
    .map(({ one }) => one);
}

/** A name that contains the other is nearer than any misspelt one. */
function distanceOf(written: string, name: string, limit: number): number {
  if (written === name) return 0;
  const isPart = written.length > 2 && (name.includes(written) || written.includes(name));
  return isPart ? 1 : editDistance(written, name, limit);
}

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
