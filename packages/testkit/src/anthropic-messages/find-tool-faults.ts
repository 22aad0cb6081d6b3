import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

const NAME_PATTERN = /^[a-zA-Z0-9_-]{1,128}$/;
/** Anthropic's own tools; most names end in a date. */
const OWN_TYPES =
  /^(?:bash|text_editor|memory|computer|browser_toolset|computer_toolset|web_search|web_fetch|code_execution|tool_search_tool_(?:regex|bm25)|advisor|mcp_toolset)(?:_\d+)?$/;

export function* findToolFaults(body: JsonObject, rules: ProviderRules): Generator<Rejection> {
  if (body.tools === undefined || body.tools === null) return;
  if (!Array.isArray(body.tools)) {
    yield badRequest('tools: Input should be a valid list');
    return;
  }
  // Strict, but harmless to obey: an empty list has been refused before, and omitting the member means the
  // same.
  if (body.tools.length === 0) yield badRequest('tools: List should have at least 1 item');
  if (body.tools.length > rules.mostTools)
    yield badRequest(`tools: at most ${rules.mostTools} tools are allowed`);
  for (const [position, tool] of body.tools.entries())
    yield* findEntryFaults(tool, `tools.${position}`, rules);
  yield* findRepeatedNames(objectsOf(body.tools));
  yield* findDeferralFaults(objectsOf(body.tools), rules.supportsDeferral(String(body.model)));
}

function* findEntryFaults(tool: unknown, place: string, rules: ProviderRules): Generator<Rejection> {
  if (!isJsonObject(tool)) {
    yield badRequest(`${place}: Input should be a valid dictionary`);
    return;
  }
  const type = tool.type ?? 'custom';
  if (rules.toolTypes.some((known) => known === type)) return;
  if (type === 'custom') yield* findDefinitionFaults(tool, place);
  else if (typeof type !== 'string' || !OWN_TYPES.test(type)) {
    const fault = `Input tag '${type}' found using 'type' does not match any of the expected tags`;
    yield badRequest(`${place}: ${fault}`);
  }
}

function* findDefinitionFaults(tool: JsonObject, place: string): Generator<Rejection> {
  const { name, description, input_schema: schema } = tool;
  if (name === undefined) yield badRequest(`${place}.custom.name: Field required`);
  else if (typeof name !== 'string' || !NAME_PATTERN.test(name)) {
    yield badRequest(`${place}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  }
  if (description !== undefined && typeof description !== 'string') {
    yield badRequest(`${place}.custom.description: Input should be a valid string`);
  }
  if (schema === undefined) yield badRequest(`${place}.custom.input_schema: Field required`);
  else if (!isJsonObject(schema)) {
    yield badRequest(`${place}.custom.input_schema: Input should be a valid dictionary`);
  } else yield* findSchemaFaults(schema, `${place}.custom.input_schema`);
}

function* findSchemaFaults(schema: JsonObject, place: string): Generator<Rejection> {
  if (schema.type === undefined) yield badRequest(`${place}.type: Field required`);
  else if (schema.type !== 'object') yield badRequest(`${place}.type: Input should be 'object'`);
  if (['oneOf', 'allOf', 'anyOf'].some((name) => schema[name] !== undefined)) {
    yield badRequest(`${place}: input_schema does not support oneOf, allOf, or anyOf at the top level`);
  }
  const { properties } = schema;
  if (properties !== undefined && properties !== null && !isJsonObject(properties)) {
    yield badRequest(`${place}.properties: Input should be a valid dictionary`);
  }
}

function* findRepeatedNames(tools: readonly JsonObject[]): Generator<Rejection> {
  // Toolsets have no name.
  const names = tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
  if (new Set(names).size < names.length) yield badRequest('tools: Tool names must be unique.');
}

function* findDeferralFaults(tools: readonly JsonObject[], isSupported: boolean): Generator<Rejection> {
  const deferred = tools.filter((tool) => tool.defer_loading === true);
  if (deferred.length === 0) return;
  if (!isSupported) {
    yield badRequest('tools: `defer_loading` is not supported by this model: Extra inputs are not permitted');
  }
  if (deferred.length === tools.length) {
    yield badRequest('All tools have defer_loading set. At least one tool must be non-deferred.');
  }
  const marked = deferred.find((tool) => isJsonObject(tool.cache_control));
  if (marked !== undefined) {
    const rule = 'cannot have both defer_loading=true and cache_control set';
    yield badRequest(
      `tools: Tool '${marked.name}' ${rule}. Tools with defer_loading cannot use prompt caching.`,
    );
  }
}
