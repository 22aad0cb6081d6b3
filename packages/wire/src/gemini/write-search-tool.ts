import { SEARCH_PARAMETERS } from '../describe-search-tool.ts';
import { isJsonObject, type JsonObject } from '../json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import type { SearchTool, ToolSection } from '../view.ts';

/**
 * The search tool as JSON of a declaration. Its parameters stand under the key that the client's own have, and in the dialect that belongs to it:
 * models of one request read one.
 */
export function writeSearchTool({ name, description }: SearchTool, section: ToolSection): string {
  const key = schemaKeyOf(section);
  const parameters = key === 'parameters' ? toOpenApi(SEARCH_PARAMETERS) : SEARCH_PARAMETERS;
  return JSON.stringify({ name, description, [key]: parameters });
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

/** In the provider's own dialect types are written large, and not every server knows closed objects. */
function toOpenApi(schema: JsonObject): JsonObject {
  const { additionalProperties, type, properties, ...rest } = schema;
  const written = isJsonObject(properties) && {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, toOpenApi(property as JsonObject)]),
    ),
  };
  return { type: String(type).toUpperCase(), ...rest, ...written };
}
