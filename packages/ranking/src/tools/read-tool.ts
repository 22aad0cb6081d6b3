import type { Tool } from '@winnow/core';
import { toInt8Vector } from '../meaning/meaning-source.ts';

/** A JSON object, for reading only. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Members in which providers wrap a tool: none (flat), `function` (OpenAI Chat), `toolSpec` (Bedrock
 * Converse).
 */
export const WRAPPERS = ['function', 'toolSpec'] as const;

/** Members that contain a tool's schema: Responses and Gemini, Anthropic, MCP and Bedrock, Gemini again. */
export const SCHEMA_KEYS = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema'] as const;

/** Returns the value if it is a JSON object. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/**
 * A tool, or the fault that makes it invalid. `path` leads into the value; it is empty for the value itself.
 */
export type ToolReading =
  | { readonly ok: true; readonly tool: Tool }
  | { readonly ok: false; readonly path: string; readonly message: string };

/**
 * Reads a tool in any known shape: `{ name, description?, definition? }`, or a tool exactly as OpenAI (nested
 * or flat), Anthropic, Gemini (one declaration), Bedrock (`toolSpec`) or MCP write it, at the top level or as
 * the `definition`.
 *
 * The outer name and description take precedence over those of the definition; the definition's schema takes
 * precedence over an outer one. A schema member of another type is a fault, so that no schema is silently
 * ignored; so is an invalid `vector`. Never throws; keeps the value's own objects without copying. Takes a
 * few property reads.
 */
export function readTool(value: unknown): ToolReading {
  const outer = asObject(value);
  if (outer === undefined) return fault('', 'Invalid input: expected object');
  const inner = asObject(outer.definition);
  if (inner === undefined && outer.definition !== undefined && outer.definition !== null) {
    return fault('definition', 'Invalid input: expected object');
  }
  const outside = survey(outer);
  const inside = inner === undefined ? NOTHING : survey(inner);
  if (outside.misplaced !== undefined) return fault(outside.misplaced, NO_SCHEMA);
  if (inside.misplaced !== undefined) return fault(`definition.${inside.misplaced}`, NO_SCHEMA);
  if (isGiven(outer.name) && typeof outer.name !== 'string') return fault('name', NO_TEXT);
  if (isGiven(outer.vector) && !isVector(outer.vector)) return fault('vector', NO_VECTOR);
  const name = outside.name ?? inside.name;
  if (name === undefined) return fault('name', NO_NAME);
  if (isGiven(outer.description) && typeof outer.description !== 'string')
    return fault('description', NO_TEXT);
  const description = outside.description ?? inside.description ?? null;
  // The definition, if it has a schema or no other object has one; otherwise the outer object, which is a
  // provider's own.
  const isInner = inside.hasSchema || !outside.hasSchema;
  return { ok: true, tool: { name, description, definition: isInner ? inner : outer } };
}

const NO_NAME = 'A tool needs a name';
const NO_TEXT = 'Invalid input: expected string';
const NO_VECTOR = 'Invalid input: expected 1 to 8192 finite numbers, not all zero';
const NO_SCHEMA = 'Invalid input: expected a JSON Schema object';

function isVector(value: unknown): boolean {
  return Array.isArray(value) && toInt8Vector(value) !== undefined;
}

/** The combined members of a tool and its provider wrappers; of texts, the outermost. */
interface Survey {
  name: string | undefined;
  description: string | undefined;
  hasSchema: boolean;
  /** The path of a schema member of another type. An absent or null schema means no parameters. */
  misplaced: string | undefined;
}

const NOTHING: Readonly<Survey> = {
  name: undefined,
  description: undefined,
  hasSchema: false,
  misplaced: undefined,
};

function survey(tool: JsonObject): Survey {
  const found = { ...NOTHING };
  const wrapped = surveyMembers(tool, '', found);
  for (const [wrapper, inside] of wrapped) surveyMembers(inside, `${wrapper}.`, found);
  return found;
}

/**
 * Adds the members of one object and returns its wrappers. Iterates over existing keys, because most tools
 * have two or three.
 */
function surveyMembers(holder: JsonObject, path: string, found: Survey): [wrapper: string, JsonObject][] {
  const wrapped: [string, JsonObject][] = [];
  for (const key in holder) {
    const member = holder[key];
    if (key === 'name' || key === 'description') {
      if (typeof member === 'string') found[key] ??= member;
    } else if (IS_SCHEMA_KEY.has(key)) {
      if (asObject(member) !== undefined) found.hasSchema = true;
      else if (isGiven(member)) found.misplaced ??= `${path}${key}`;
    } else if (IS_WRAPPER.has(key)) {
      const inside = asObject(member);
      if (inside !== undefined) wrapped.push([key, inside]);
    }
  }
  return wrapped;
}

const IS_SCHEMA_KEY: ReadonlySet<string> = new Set(SCHEMA_KEYS);
const IS_WRAPPER: ReadonlySet<string> = new Set(WRAPPERS);

/** Whether a schema is present: some languages write an empty object as `[]`. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

function fault(path: string, message: string): ToolReading & { readonly ok: false } {
  return { ok: false, path, message };
}
