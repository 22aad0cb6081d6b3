import { isJsonObject, type Json, type JsonObject } from '@winnow/registry';
import { backendOf, type Candidate, type Placement } from './placement.ts';

/**
 * Reads one tool as MCP, OpenAI, Anthropic, Gemini or Bedrock define it, or a whole registration. Returns the
 * problem as a sentence if it is none of them.
 */
export function readToolShape(value: unknown, place: string, placement: Placement): Candidate | string {
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
