import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

const TYPES = ['auto', 'any', 'tool', 'none'];

/** Finds faults of `tool_choice`: it needs tools, and a forced call rules out thinking. */
export function* findChoiceFaults(body: JsonObject): Generator<Rejection> {
  const { tool_choice: choice, thinking } = body;
  if (choice === undefined || choice === null) return;
  if (!isJsonObject(choice) || !TYPES.includes(String(choice.type))) {
    yield badRequest(`tool_choice: Input tag does not match any of the expected tags: ${TYPES.join(', ')}`);
    return;
  }
  const tools = objectsOf(body.tools);
  if (tools.length === 0) yield badRequest('tool_choice: may only be specified while providing tools');
  if (choice.type === 'tool' && !tools.some(({ name }) => name === choice.name)) {
    yield badRequest(`tool_choice.tool: Tool '${choice.name}' not found in provided tools`);
  }
  const isForced = choice.type === 'any' || choice.type === 'tool';
  if (isForced && isJsonObject(thinking) && thinking.type !== 'disabled') {
    yield badRequest('Thinking may not be enabled when tool_choice forces tool use.');
  }
}
