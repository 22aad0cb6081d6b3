import { type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** Whether an entry is a namespace. */
export function isNamespace({ type }: JsonObject): boolean {
  return type === 'namespace';
}

/** The name of a function or a custom tool; undefined for other entries. */
export function toolNameOf({ type, name }: JsonObject): string | undefined {
  return (type === 'function' || type === 'custom') && typeof name === 'string' ? name : undefined;
}

/** Returns the names of all functions in a list; those in namespaces are qualified. */
export function functionNames(list: unknown): string[] {
  return objectsOf(list).flatMap((tool) => {
    if (!isNamespace(tool)) return toolNameOf(tool) ?? [];
    return objectsOf(tool.tools).map(({ name }) => `${tool.name}.${name}`);
  });
}

/** Returns the lists of tools in a history. */
export function loadedTools(input: unknown): JsonObject[] {
  return objectsOf(input).flatMap(({ type, tools }) =>
    type === 'tool_search_output' || type === 'additional_tools' ? objectsOf(tools) : [],
  );
}
