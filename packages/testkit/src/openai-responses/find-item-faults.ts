import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

/** Prefixes of item ids, by type. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  tool_search_call: 'tsc_',
  custom_tool_call: 'ctc_',
};

/** The known types of items. */
const TYPES: ReadonlySet<unknown> = new Set([
  ...Object.keys(ID_PREFIXES),
  'function_call_output',
  'tool_search_output',
  'custom_tool_call_output',
  'additional_tools',
  'web_search_call',
  'shell_call',
  'shell_call_output',
]);

/** Finds faults of single items, and of calls and their results. */
export function* findItemFaults(body: JsonObject): Generator<Rejection> {
  const items = objectsOf(body.input);
  for (const [position, item] of items.entries()) {
    const param = `input[${position}]`;
    const type = item.type ?? (item.role === undefined ? undefined : 'message');
    if (type === 'item_reference') {
      const message = `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
      yield { status: 404, message, param: 'input' };
    } else if (!TYPES.has(type)) {
      yield badRequest(`Invalid value: '${type}'.`, { param: `${param}.type`, code: 'invalid_value' });
    }
    const prefix = ID_PREFIXES[String(type)];
    if (prefix !== undefined && typeof item.id === 'string' && !item.id.startsWith(prefix)) {
      const expectation = `Expected an ID that begins with '${prefix.slice(0, -1)}'.`;
      yield badRequest(`Invalid '${param}.id': '${item.id}'. ${expectation}`, { param: `${param}.id` });
    }
    if (type === 'message' && !['user', 'assistant', 'system', 'developer'].includes(String(item.role))) {
      yield badRequest(`Invalid value: '${item.role}'.`, { param: `${param}.role`, code: 'invalid_value' });
    }
  }
  yield* findPairFaults(items, 'function_call', 'function_call_output', 'function call');
  yield* findPairFaults(items, 'tool_search_call', 'tool_search_output', 'tool search');
}

function* findPairFaults(
  items: readonly JsonObject[],
  call: string,
  output: string,
  name: string,
): Generator<Rejection> {
  const open = new Set<unknown>();
  const seen = new Set<unknown>();
  for (const item of items) {
    if (item.type === call && (call === 'function_call' || item.execution === 'client')) {
      if (typeof item.call_id !== 'string' || seen.has(item.call_id)) {
        yield badRequest(`Duplicate or missing call_id of a ${name}.`, { param: 'input' });
      }
      open.add(item.call_id);
      seen.add(item.call_id);
    } else if (item.type === output) {
      if (output === 'tool_search_output' && item.execution !== 'client' && item.execution !== 'server') {
        yield badRequest("Missing required parameter: 'input[].execution'.", { param: 'input' });
      }
      if (item.execution !== 'server' && !open.delete(item.call_id)) {
        yield badRequest(`No tool call found for ${name} output with call_id ${item.call_id}.`, {
          param: 'input',
        });
      }
    }
  }
  const [first] = open;
  if (first !== undefined) {
    yield badRequest(`No tool output found for ${name} ${first}.`, { param: 'input' });
  }
}
