import { findSchemaFault } from '../openai-chat/find-schema-fault.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { functionNames, isNamespace, loadedTools, toolNameOf } from './responses-tools.ts';

const FUNCTION_KEYS: ReadonlySet<string> = new Set([
  'type',
  'name',
  'description',
  'parameters',
  'strict',
  'defer_loading',
  'allowed_callers',
  'async',
  'output_schema',
]);

const HOSTED: ReadonlySet<unknown> = new Set([
  'web_search',
  'web_search_preview',
  'file_search',
  'code_interpreter',
  'image_generation',
  'mcp',
  'shell',
  'local_shell',
  'apply_patch',
  'computer',
  'tool_search',
]);

const NAME_PATTERN = /^[a-zA-Z0-9_-]{1,64}$/;

/** Finds faults of a request's tools, including those in its history, and of its choice among them. */
export function* findResponsesToolFaults(body: JsonObject, rules: ProviderRules): Generator<Rejection> {
  yield* findListFaults(body.tools, 'tools', rules);
  for (const item of objectsOf(body.input)) {
    if (item.type === 'tool_search_output') yield* findListFaults(item.tools, 'input[].tools', rules);
  }
  const search = objectsOf(body.tools).find(({ type }) => type === 'tool_search');
  if (search !== undefined) yield* findSearchFaults(search, body, rules);
  else if (objectsOf(body.tools).some(({ defer_loading: isDeferred }) => isDeferred === true)) {
    yield badRequest("'defer_loading' needs a tool of type 'tool_search'.", { param: 'tools' });
  }
  yield* findChoiceFaults(body);
}

function* findListFaults(list: unknown, place: string, rules: ProviderRules): Generator<Rejection> {
  if (list === undefined || list === null) return;
  if (!Array.isArray(list)) {
    yield badRequest(`Invalid type for '${place}': expected an array of objects.`, {
      param: place,
      code: 'invalid_type',
    });
    return;
  }
  if (list.length > rules.mostTools) {
    yield badRequest(`Invalid '${place}': array too long.`, { param: place, code: 'array_above_max_length' });
  }
  const names = new Set<string>();
  for (const [position, tool] of list.entries()) {
    const param = `${place}[${position}]`;
    if (!isJsonObject(tool))
      yield badRequest(`Invalid type for '${param}'.`, { param, code: 'invalid_type' });
    else yield* findEntryFaults(tool, param, names, rules);
  }
}

function* findEntryFaults(
  tool: JsonObject,
  param: string,
  names: Set<string>,
  rules: ProviderRules,
): Generator<Rejection> {
  const { type } = tool;
  if (HOSTED.has(type) || rules.toolTypes.some((known) => known === type)) return;
  if (type !== 'function' && type !== 'custom' && type !== 'namespace') {
    yield badRequest(`Invalid value: '${type}'.`, { param: `${param}.type`, code: 'invalid_value' });
    return;
  }
  const name = String(tool.name ?? '');
  if (!NAME_PATTERN.test(name))
    yield badRequest(`Invalid '${param}.name'.`, { param: `${param}.name`, code: 'invalid_value' });
  if (names.has(name)) yield badRequest(`Tool names must be unique: '${name}'.`, { param });
  names.add(name);
  if (isNamespace(tool)) {
    if (objectsOf(tool.tools).length === 0) {
      yield badRequest(`Invalid '${param}.tools': empty array.`, {
        param: `${param}.tools`,
        code: 'empty_array',
      });
    }
    yield* findListFaults(tool.tools, `${param}.tools`, rules);
    return;
  }
  if (type === 'custom') return;
  const stranger = Object.keys(tool).find((key) => !FUNCTION_KEYS.has(key));
  if (stranger !== undefined) {
    yield badRequest(`Unknown parameter: '${param}.${stranger}'.`, {
      param: `${param}.${stranger}`,
      code: 'unknown_parameter',
    });
  }
  const fault =
    tool.parameters === undefined || tool.parameters === null
      ? undefined
      : findSchemaFault(tool.parameters, tool.strict === true);
  if (fault !== undefined) {
    yield badRequest(`Invalid schema for function '${name}': ${fault}`, {
      param,
      code: 'invalid_function_parameters',
    });
  }
}

function* findSearchFaults(
  { execution, parameters }: JsonObject,
  { model }: JsonObject,
  { supportsDeferral }: ProviderRules,
): Generator<Rejection> {
  if (!supportsDeferral(String(model))) {
    yield badRequest(`Tool search is not supported with '${model}'.`, { param: 'tools' });
  }
  if (execution === 'client' && !isJsonObject(parameters)) {
    yield badRequest("Missing required parameter: 'tools[].parameters'.", { param: 'tools' });
  }
}

function* findChoiceFaults({ tool_choice: choice, tools, input }: JsonObject): Generator<Rejection> {
  if (!isJsonObject(choice)) return;
  const named = choice.type === 'allowed_tools' ? objectsOf(choice.tools) : [choice];
  const declared = new Set([...functionNames(tools), ...functionNames(loadedTools(input))]);
  const stranger = named.find((tool) => toolNameOf(tool) !== undefined && !declared.has(toolNameOf(tool)!));
  if (stranger === undefined) return;
  yield badRequest(`Tool choice '${stranger.name}' not found in 'tools' parameter.`, {
    param: 'tool_choice',
  });
}
