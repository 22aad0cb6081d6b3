import { decodePercent, memberAt, pointerKeys } from '@winnow/core';
import { isJsonObject, type Json, type JsonObject } from '@winnow/registry';
import { displayLine } from './display-text.ts';

/** Longest text of one parameter, and most values that it names, in the list of a tool's parameters. */
const MAX_TEXT_CHARS = 160;
const MAX_VALUES = 12;
/** Maximum number of an object's members that are named. */
const MAX_MEMBERS = 12;

/**
 * The parameters of a schema, a line each: name, type, whether it is required, what it is for. Required ones come first, each in the
 * order of the schema. Nested objects show the names of their members; the full schema has the rest.
 */
export function describeParameters(schema: JsonObject): readonly string[] {
  const properties = asObject(schema.properties);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const lines = Object.entries(properties).map(([name, property]) => ({
    isRequired: required.has(name),
    text: describeParameter(name, asObject(property), required.has(name), schema),
  }));
  return [...lines.filter((line) => line.isRequired), ...lines.filter((line) => !line.isRequired)].map(
    ({ text }) => text,
  );
}

function describeParameter(name: string, written: JsonObject, isRequired: boolean, root: JsonObject): string {
  const schema = follow(written, root);
  const kind = [typeOf(schema, root), ...(isRequired ? ['required'] : [])].join(', ');
  const text = typeof written.description === 'string' ? written.description : schema.description;
  const said = typeof text === 'string' && text.trim() !== '' ? `: ${displayLine(text, MAX_TEXT_CHARS)}` : '';
  return `- ${displayLine(name, 128)} (${kind})${said}`;
}

/** A type as people write it: `string`, `integer[]`, `"open" | "closed"`, `{ owner, repo }`. */
function typeOf(schema: JsonObject, root: JsonObject, depth = 0): string {
  if (Array.isArray(schema.enum)) return valuesOf(schema.enum);
  if (schema.const !== undefined) return valuesOf([schema.const]);
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choices !== undefined && depth < 3) {
    const types = choices.map((choice) => typeOf(follow(asObject(choice), root), root, depth + 1));
    return [...new Set(types)].slice(0, MAX_VALUES).join(' | ') || 'any';
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => plainTypeOf(type, schema, root, depth)).join(' | ');
}

function plainTypeOf(type: Json | undefined, schema: JsonObject, root: JsonObject, depth: number): string {
  if (type === 'array' && schema.items !== undefined && depth < 3) {
    const item = typeOf(follow(asObject(schema.items), root), root, depth + 1);
    return / /.test(item) ? `(${item})[]` : `${item}[]`;
  }
  const members = Object.keys(asObject(schema.properties));
  if ((type === 'object' || type === undefined) && members.length > 0) {
    const shown = members.slice(0, MAX_MEMBERS).map((name) => displayLine(name, 64));
    return `{ ${shown.join(', ')}${members.length > MAX_MEMBERS ? ', …' : ''} }`;
  }
  return typeof type === 'string' ? type : 'any';
}

function valuesOf(values: readonly Json[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => displayLine(JSON.stringify(value), 64));
  return shown.join(' | ') + (values.length > MAX_VALUES ? ' | …' : '');
}

/** Returns the target of a local reference, one step; anything else unchanged. */
function follow(schema: JsonObject, root: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string' || !schema.$ref.startsWith('#/')) return schema;
  const target = memberAt(root, pointerKeys(decodePercent(schema.$ref.slice(1))));
  return isJsonObject(target) ? target : schema;
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
