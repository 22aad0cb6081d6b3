import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

/** Types of tools and items that only a provider with tool search knows. */
const TOOL_TYPES: ReadonlySet<unknown> = new Set(['namespace', 'tool_search']);
const ITEM_TYPES: ReadonlySet<unknown> = new Set([
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
]);

/** Finds everything that a server without deferral refuses, in the words of a strict validator. */
export function* findDeferralFaults({ tools, input, tool_choice: choice }: JsonObject): Generator<Rejection> {
  for (const [position, tool] of objectsOf(tools).entries()) {
    const param = `tools[${position}]`;
    if (TOOL_TYPES.has(tool.type)) yield unknownType(tool, param);
    if ('defer_loading' in tool) yield unknownMember(`${param}.defer_loading`);
  }
  for (const [position, item] of objectsOf(input).entries()) {
    const param = `input[${position}]`;
    if (ITEM_TYPES.has(item.type)) yield unknownType(item, param);
    if ('namespace' in item) yield unknownMember(`${param}.namespace`);
  }
  if (!isJsonObject(choice)) return;
  for (const named of [choice, ...objectsOf(choice.tools)]) {
    if (TOOL_TYPES.has(named.type)) yield unknownType(named, 'tool_choice');
    if ('namespace' in named) yield unknownMember('tool_choice.namespace');
  }
}

function unknownType({ type }: JsonObject, param: string): Rejection {
  return badRequest(`Invalid value: '${type}'.`, { param: `${param}.type`, code: 'invalid_value' });
}

function unknownMember(param: string): Rejection {
  return badRequest(`Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });
}
