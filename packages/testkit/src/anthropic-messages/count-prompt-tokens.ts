import { type JsonObject, objectsOf } from '../upstream/json-object.ts';

/**
 * Returns the tokens of a request, at four bytes each. Deferred definitions are not in the prompt until a
 * reference expands them.
 */
export function countPromptTokens({ system, tools, messages }: JsonObject): number {
  const shown = objectsOf(tools).filter((tool) => tool.defer_loading !== true);
  return Math.ceil(JSON.stringify({ system, tools: shown, messages }).length / 4);
}
