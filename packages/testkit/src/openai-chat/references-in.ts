import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** A tool that a result shows to the model. */
export interface ToolReference {
  readonly name: unknown;
  readonly toolName: unknown;
  /** Where it stands: `messages[2].content[0]`. */
  readonly place: string;
}

/** Every `tool_reference` in the results of the conversation, in order. */
export function referencesIn(messages: unknown): ToolReference[] {
  return objectsOf(messages).flatMap(({ role, content }, messageAt) =>
    objectsOf(content).flatMap((part, at) =>
      role === 'tool' && part.type === 'tool_reference'
        ? [{ name: part.name, toolName: part.tool_name, place: `messages[${messageAt}].content[${at}]` }]
        : [],
    ),
  );
}

/** Whether a definition is deferred: the mark within `function` counts before one beside `type`. */
export function isDeferred({ function: own, defer_loading: outer }: JsonObject): boolean {
  const inner = isJsonObject(own) ? own.defer_loading : undefined;
  return (inner ?? outer) === true;
}
