import { REGISTRY_LIMITS } from '../limits.ts';
import type { Problem, ProblemCode } from '../problem.ts';
import { findJsonFault, isJsonObject } from './json.ts';
import { BACKEND_FIELDS, type BackendKind } from './tool.ts';
import { isNamespace, isToolName } from './tool-names.ts';

/** Reports a problem at a path below the registration. */
type Report = (code: ProblemCode, path: string, message: string) => void;

/**
 * Returns every problem of a registration, regardless of the registered content; a value without problems is a
 * `Registration`. Accepts any value and never throws.
 *
 * @param path The path of the registration, such as `tools.3`.
 */
export function checkRegistration(value: unknown, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const report: Report = (code, below, message) =>
    problems.push({ code, path: below === '' ? path : `${path}.${below}`, message });
  if (!isJsonObject(value)) {
    report('invalid_tool', '', 'A registration must be an object with a tool and a backend.');
    return problems;
  }
  if (value.tool === undefined && value.name !== undefined) {
    const form = '{ "tool": { "name", "description", "inputSchema" }, "namespace", "tags", "backend" }';
    report('invalid_tool', 'tool', `The tool itself is missing; a registration is ${form}.`);
  } else checkTool(value.tool, report);
  checkPlace(value, report);
  checkBackend(value.backend, report);
  return problems;
}

function checkTool(tool: unknown, report: Report): void {
  if (!isJsonObject(tool)) {
    report('invalid_tool', 'tool', 'The tool must be an object with a name and an inputSchema.');
    return;
  }
  if (typeof tool.name !== 'string' || !isToolName(tool.name)) {
    report('invalid_tool', 'tool.name', 'The name must have 1 to 128 of the characters A-Z a-z 0-9 _ . -');
  }
  if (!isDefinitionSound(tool, report)) return;
  checkSchema(tool.inputSchema, 'tool.inputSchema', report);
  if (tool.outputSchema !== undefined) checkSchema(tool.outputSchema, 'tool.outputSchema', report);
  for (const field of ['title', 'description']) {
    if (tool[field] !== undefined && typeof tool[field] !== 'string') {
      report('invalid_tool', `tool.${field}`, `The ${field} must be a text.`);
    }
  }
  for (const field of ['annotations', '_meta']) {
    if (tool[field] !== undefined && !isJsonObject(tool[field])) {
      report('invalid_tool', `tool.${field}`, `The ${field} must be an object.`);
    }
  }
  if (tool.icons !== undefined && !Array.isArray(tool.icons)) {
    report('invalid_tool', 'tool.icons', 'The icons must be a list.');
  }
}

/** Whether the definition can be stored; one that is nested too deeply must not be walked further. */
function isDefinitionSound(tool: object, report: Report): boolean {
  const { definitionDepth, definitionBytes } = REGISTRY_LIMITS;
  switch (findJsonFault(tool, definitionDepth)) {
    case 'too_deep':
      report('invalid_tool', 'tool', `The definition is nested deeper than ${definitionDepth}.`);
      return false;
    case 'lone_surrogate':
      report('invalid_tool', 'tool', 'A string of the definition contains half of a surrogate pair.');
      return false;
    case 'no_json':
      report('invalid_tool', 'tool', 'The definition contains something that JSON cannot represent.');
      return false;
  }
  if (Buffer.byteLength(JSON.stringify(tool)) > definitionBytes) {
    report('invalid_tool', 'tool', `The definition is larger than ${definitionBytes / 1024} KiB.`);
    return false;
  }
  return true;
}

/** Supported dialects of JSON Schema, with or without the empty fragment. */
const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/2020-12\/schema|draft-07\/schema)#?$/;

function checkSchema(schema: unknown, path: string, report: Report): void {
  if (!isJsonObject(schema)) {
    report('invalid_tool', path, 'The schema must be an object, such as {"type":"object"}.');
    return;
  }
  const { $schema: dialect } = schema;
  if (dialect !== undefined && (typeof dialect !== 'string' || !DIALECTS.test(dialect))) {
    report('invalid_tool', `${path}.$schema`, 'The dialect must be JSON Schema 2020-12 or draft-07.');
  }
}

function checkPlace({ namespace, tags, version }: Record<string, unknown>, report: Report): void {
  if (
    namespace !== undefined &&
    namespace !== '' &&
    (typeof namespace !== 'string' || !isNamespace(namespace))
  ) {
    report(
      'invalid_tool',
      'namespace',
      'The namespace must begin with a-z or 0-9 and have at most 64 of the characters a-z 0-9 . _ -',
    );
  }
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === 'string'))) {
    report('invalid_tool', 'tags', 'The tags must be a list of texts.');
  }
  if (version !== undefined && !isField(version)) {
    report('invalid_tool', 'version', 'The version must be a text of 1 to 256 characters.');
  }
}

function checkBackend(backend: unknown, report: Report): void {
  const kind = isJsonObject(backend) ? backend.kind : undefined;
  if (!isJsonObject(backend) || typeof kind !== 'string' || !Object.hasOwn(BACKEND_FIELDS, kind)) {
    report('invalid_backend', 'backend', 'The backend must be of kind "mcp", "provider" or "local".');
    return;
  }
  for (const field of BACKEND_FIELDS[kind as BackendKind]) {
    if (!isField(backend[field])) {
      report(
        'invalid_backend',
        `backend.${field}`,
        `A backend of kind "${kind}" needs a ${field} of 1 to 256 characters.`,
      );
    }
  }
}

function isField(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= REGISTRY_LIMITS.fieldChars &&
    value.isWellFormed()
  );
}

/**
 * Normalizes tags: lower case, trimmed, one hyphen for each run of white space, only the characters `a-z0-9-_.`, at most
 * 64 of them. Drops empty and repeated tags; keeps the first 20 in their order.
 */
export function normalizeTags(tags: readonly string[]): readonly string[] {
  const kept = new Set<string>();
  for (const tag of tags) {
    if (kept.size === REGISTRY_LIMITS.tags) break;
    const normal = normalizeTag(tag);
    if (normal !== '') kept.add(normal);
  }
  return [...kept];
}

/** Normalizes one tag; empty when nothing is left. */
export function normalizeTag(tag: string): string {
  return tag
    .toLowerCase()
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9\-_.]/g, '')
    .slice(0, REGISTRY_LIMITS.tagChars);
}
