import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** A tool reference in a result. */
export interface ToolReference {
  readonly name: unknown;
  readonly toolName: unknown;
  /** Its place, such as `messages[2].content[0]`. */
  readonly place: string;
}

/** Returns every `tool_reference` in the results of the conversation, in order. */
export function referencesIn(messages: unknown): ToolReference[] {
  return objectsOf(messages).flatMap(({ role, content }, messageAt) =>
    objectsOf(content).flatMap((part, at) =>
      role === 'tool' && part.type === 'tool_reference'
        ? [{ name: part.name, toolName: part.tool_name, place: `messages[${messageAt}].content[${at}]` }]
        : [],
    ),
  );
}

/** Whether a definition is deferred: a mark within `function` takes precedence over one next to `type`. */
export function isDeferred({ function: own, defer_loading: outer }: JsonObject): boolean {
  const inner = isJsonObject(own) ? own.defer_loading : undefined;
  return (inner ?? outer) === true;
}
