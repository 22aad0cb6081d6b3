import type { AddedTool } from '../format/capabilities.ts';
import type { ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';

/**
 * Returns a tool as the JSON of a declaration. Its parameters use the key and the schema dialect of the
 * client's own tools, because a model reads only one dialect per request; the provider's own when the client
 * declares none.
 */
export function writeDeclaration(
  { name, description, parameters }: AddedTool,
  section: ToolSection | undefined,
): string {
  const key = section === undefined ? 'parameters' : schemaKeyOf(section);
  return JSON.stringify({
    name,
    description,
    [key]: key === 'parameters' ? toOpenApi(parameters) : parameters,
  });
}

const JSON_SCHEMA_KEYS = ['parametersJsonSchema', 'parameters_json_schema'];

const schemaKeyOf = rememberBy(({ entries }: ToolSection): string => {
  for (const { definition } of entries) {
    if (!isJsonObject(definition)) continue;
    const key = [...JSON_SCHEMA_KEYS, 'parameters'].find((one) => definition[one] !== undefined);
    if (key !== undefined) return key;
  }
  return 'parameters';
});

/**
 * Converts a schema to the provider's own dialect, which has upper-case types; some servers do not support
 * `additionalProperties`. An object without properties is refused, so a string of JSON replaces it.
 */
function toOpenApi(schema: JsonObject): JsonObject {
  const { additionalProperties, type, properties, items, ...rest } = schema;
  if (type === 'object' && properties === undefined) return { type: 'STRING', ...rest };
  const written = isJsonObject(properties) && {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, toOpenApi(property as JsonObject)]),
    ),
  };
  return {
    type: String(type).toUpperCase(),
    ...rest,
    ...written,
    ...(isJsonObject(items) && { items: toOpenApi(items) }),
  };
}
