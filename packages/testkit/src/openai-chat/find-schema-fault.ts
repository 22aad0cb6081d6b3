import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';

/**
 * Returns the reason for which OpenAI refuses the parameters of a function, or undefined if it accepts them.
 *
 * Finds the faults that an editor of requests can cause: a top level that is not an object, arrays without
 * `items`, and under `strict` properties that are optional or objects that are open. It does not validate
 * JSON Schema in full.
 */
export function findSchemaFault(parameters: unknown, isStrict: boolean): string | undefined {
  const type = isJsonObject(parameters) ? (parameters.type ?? 'None') : typeof parameters;
  if (!isJsonObject(parameters) || type !== 'object') {
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`;
  }
  return findNestedFault(parameters, { path: [], isStrict });
}

interface SchemaPlace {
  readonly path: readonly string[];
  readonly isStrict: boolean;
}

function findNestedFault(schema: JsonObject, { path, isStrict }: SchemaPlace): string | undefined {
  const context = `In context=(${path.map((name) => `'${name}'`).join(', ')}), `;
  if (schema.type === 'array' && schema.items === undefined) return `${context}array schema missing items.`;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  if (isStrict && schema.type === 'object') {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const optional = Object.keys(properties).find((name) => !required.includes(name));
    if (optional !== undefined)
      return `${context}'required' must include every key in properties. Missing '${optional}'.`;
    if (schema.additionalProperties !== false)
      return `${context}'additionalProperties' must be supplied and false.`;
  }
  const children: [string[], unknown][] = [
    ...Object.entries(properties).map(([name, child]): [string[], unknown] => [['properties', name], child]),
    [['items'], schema.items],
  ];
  for (const [steps, child] of children) {
    if (!isJsonObject(child)) continue;
    const fault = findNestedFault(child, { path: [...path, ...steps], isStrict });
    if (fault !== undefined) return fault;
  }
  return undefined;
}
