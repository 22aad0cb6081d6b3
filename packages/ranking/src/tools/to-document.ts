import { cutText, decodePercent, memberAt, pointerKeys, type Tool } from '@winnow/core';
import { asObject, type JsonObject, SCHEMA_KEYS, WRAPPERS } from './read-tool.ts';
import type { ParameterText, ToolDocument } from './tool-document.ts';

/** Limits for reading one tool. The excess is ignored; the tool can still be found by the rest. */
export const DOCUMENT_LIMITS = {
  /**
   * Length of one text. The longest of 9,400 public tools has 8,018; a longer text is data, not a
   * description.
   */
  textChars: 8_192,
  /** Total length of all parameters, including names: four times the largest of the same tools. */
  parameterChars: 32_768,
  /** Length of one parameter's name. The longest real ones have about 150. */
  nameChars: 1_024,
  /**
   * Depth of nested schemas. Real ones stay under 20; the walk is recursive, and this is far from a stack
   * overflow.
   */
  depth: 48,
  /** Number of schemas visited, including those reached again through `$ref`. */
  schemas: 4_096,
  /** Number of examples of requests, and length of one. */
  examples: 20,
  exampleChars: 512,
} as const;

/** The state of a walk through one schema. */
interface Walk {
  readonly root: JsonObject;
  readonly definition: JsonObject;
  readonly parameters: { name: string; text: string }[];
  charsLeft: number;
  schemasLeft: number;
  /** Targets of `$ref` that were read. Undefined until the first, because most schemas have none. */
  expanded: Set<object> | undefined;
}

/**
 * Returns a tool's document, with the parameters of its definition in any provider's shape.
 *
 * Never throws, whatever the definition contains: a value of the wrong type counts as absent, and
 * DOCUMENT_LIMITS bound time and memory. The document shares strings with the tool, but no objects.
 */
export function toDocument(tool: Tool): ToolDocument {
  const definition = asObject(tool.definition);
  return {
    name: tool.name,
    description: cutText(tool.description || findDescription(definition), DOCUMENT_LIMITS.textChars),
    ...(definition && examplesOf(definition)),
    parameters: definition === undefined ? [] : readParameters(definition),
  };
}

/** The member of a definition, or of its schema, with requests of users for which they wanted the tool. */
export const EXAMPLES_KEY = 'x-examples';

function examplesOf(definition: JsonObject): Pick<ToolDocument, 'examples'> {
  const holders = [
    definition,
    ...WRAPPERS.map((wrapper) => asObject(definition[wrapper])),
    findSchema(definition),
  ];
  const written = holders.find((holder) => Array.isArray(holder?.[EXAMPLES_KEY]))?.[EXAMPLES_KEY];
  if (written === undefined) return {};
  const texts = (written as readonly unknown[])
    .slice(0, DOCUMENT_LIMITS.examples)
    .filter((one) => typeof one === 'string');
  return { examples: texts.map((text) => cutText(text, DOCUMENT_LIMITS.exampleChars)) };
}

function findDescription(definition: JsonObject | undefined): string {
  if (definition === undefined) return '';
  if (typeof definition.description === 'string') return definition.description;
  for (const wrapper of WRAPPERS) {
    const description = asObject(definition[wrapper])?.description;
    if (typeof description === 'string') return description;
  }
  return '';
}

function findSchema(definition: JsonObject): JsonObject | undefined {
  for (const wrapper of WRAPPERS) {
    const wrapped = asObject(definition[wrapper]);
    const schema = wrapped && findSchemaIn(wrapped);
    if (schema !== undefined) return schema;
  }
  return findSchemaIn(definition);
}

function findSchemaIn(holder: JsonObject): JsonObject | undefined {
  for (const key of SCHEMA_KEYS) {
    const schema = asObject(holder[key]);
    // Bedrock Converse uses `inputSchema: { json: … }`; JSON Schema has no such keyword.
    if (schema !== undefined) return asObject(schema.json) ?? schema;
  }
  return undefined;
}

function readParameters(definition: JsonObject): readonly ParameterText[] {
  const root = findSchema(definition);
  if (root === undefined) return [];
  const walk: Walk = {
    root,
    definition,
    parameters: [],
    charsLeft: DOCUMENT_LIMITS.parameterChars,
    schemasLeft: DOCUMENT_LIMITS.schemas,
    expanded: undefined,
  };
  const whole = { name: '', text: '' };
  visitSchema(walk, root, whole, 0);
  if (whole.text !== '') walk.parameters.push(whole);
  return walk.parameters;
}

/** Adds the text of a schema to the parameter that it describes, and its parameters to the walk. */
function visitSchema(walk: Walk, value: unknown, parameter: { text: string }, depth: number): void {
  const schema = asObject(value);
  if (schema === undefined || depth > DOCUMENT_LIMITS.depth || walk.schemasLeft <= 0) return;
  walk.schemasLeft -= 1;

  // Iterates over the existing keys, two or three in most schemas, instead of all known keywords: this is
  // half the time of a build.
  for (const keyword in schema) visitKeyword(walk, keyword, schema[keyword], parameter, depth);
}

function visitKeyword(
  walk: Walk,
  keyword: string,
  value: unknown,
  parameter: { text: string },
  depth: number,
): void {
  switch (keyword) {
    case 'title':
      // The title of the whole schema repeats the tool's name ("createIssueArguments").
      if (depth > 0) addText(walk, parameter, value);
      return;
    case 'description':
    case 'const':
      addText(walk, parameter, value);
      return;
    case 'enum':
      if (Array.isArray(value)) for (const item of value) addText(walk, parameter, item);
      return;
    case 'properties':
      visitProperties(walk, value, depth + 1);
      return;
    case 'items':
    case 'additionalProperties':
    case 'prefixItems':
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      visitSchemas(walk, value, parameter, depth + 1);
      return;
    case 'patternProperties':
      // The keys are regular expressions, not names.
      visitSchemas(walk, asObject(value) && Object.values(value as JsonObject), parameter, depth + 1);
      return;
    case '$ref':
      if (typeof value === 'string') visitReference(walk, value, parameter, depth + 1);
      return;
  }
}

function visitProperties(walk: Walk, value: unknown, depth: number): void {
  const properties = asObject(value);
  if (properties === undefined || depth > DOCUMENT_LIMITS.depth) return;
  for (const key in properties) {
    if (walk.charsLeft <= 0 || walk.schemasLeft <= 0) return;
    const name = cutText(key, Math.min(DOCUMENT_LIMITS.nameChars, walk.charsLeft));
    // One more than its length, so that 30,000 parameters with empty names have a cost, too.
    walk.charsLeft -= name.length + 1;
    const parameter = { name, text: '' };
    walk.parameters.push(parameter);
    visitSchema(walk, properties[key], parameter, depth);
  }
}

/** Visits a schema or a list of schemas; before JSON Schema 2020-12, `items` could be either. */
function visitSchemas(walk: Walk, value: unknown, parameter: { text: string }, depth: number): void {
  if (!Array.isArray(value)) {
    visitSchema(walk, value, parameter, depth);
    return;
  }
  for (const schema of value) {
    if (walk.schemasLeft <= 0) return;
    visitSchema(walk, schema, parameter, depth);
  }
}

/**
 * Reads the target of a `$ref`, once per walk: this ends cycles and fan-out, and a second reading would add
 * no new words. Follows only references within the document.
 */
function visitReference(walk: Walk, reference: string, parameter: { text: string }, depth: number): void {
  const target = resolvePointer(walk.root, reference) ?? resolvePointer(walk.definition, reference);
  walk.expanded ??= new Set([walk.root]);
  if (target === undefined || walk.expanded.has(target)) return;
  walk.expanded.add(target);
  visitSchema(walk, target, parameter, depth);
}

/** Longer pointers are not followed: real ones have two or three short steps. */
const MAX_POINTER_CHARS = 512;

/** Resolves a JSON Pointer in a URI fragment: RFC 6901, section 6. */
function resolvePointer(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/') || reference.length > MAX_POINTER_CHARS) return undefined;
  return asObject(memberAt(root, pointerKeys(decodePercent(reference.slice(1)))));
}

function addText(walk: Walk, parameter: { text: string }, value: unknown): void {
  if (value === undefined || walk.charsLeft <= 0) return;
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
  if (text === '') return;
  const cut = cutText(text, Math.min(DOCUMENT_LIMITS.textChars, walk.charsLeft));
  walk.charsLeft -= cut.length + 1;
  // One line each, so that neither a sentence nor a regular expression's `.` extends from one into the next.
  parameter.text = parameter.text === '' ? cut : `${parameter.text}\n${cut}`;
}
