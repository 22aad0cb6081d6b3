import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { fieldOf } from './field-of.ts';
import { findUnknownNames } from './unknown-names.ts';

const HOSTED = [
  'googleSearch',
  'googleSearchRetrieval',
  'googleMaps',
  'urlContext',
  'codeExecution',
  'fileSearch',
  'computerUse',
  'retrieval',
  'enterpriseWebSearch',
  'mcpServers',
];
const DECLARATION = [
  'name',
  'description',
  'behavior',
  'parameters',
  'parametersJsonSchema',
  'response',
  'responseJsonSchema',
];
const SCHEMA = [
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'items',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'minProperties',
  'maxProperties',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
  'example',
  'default',
  'anyOf',
  'propertyOrdering',
];
const NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/;

/** Finds faults of `tools` and of the request's choice among them. */
export function* findToolFaults(body: JsonObject): Generator<Rejection> {
  const { tools } = body;
  if (tools !== undefined && !Array.isArray(tools)) yield badRequest("Invalid value at 'tools'");
  if (fieldOf(body, 'cachedContent') !== undefined && tools !== undefined) {
    yield badRequest(
      'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.',
    );
  }
  const names = new Set<string>();
  for (const [position, tool] of objectsOf(tools).entries()) {
    const place = `tools[${position}]`;
    yield* findUnknownNames(tool, [...HOSTED, 'functionDeclarations'], place);
    const declarations = fieldOf(tool, 'functionDeclarations');
    const isEmpty = Array.isArray(declarations) && declarations.length === 0;
    if (isEmpty || Object.keys(tool).length === 0) {
      yield badRequest(
        `* GenerateContentRequest.${place}.tool_type: required one_of 'tool_type' must have one initialized field`,
      );
    }
    for (const [at, declaration] of objectsOf(declarations).entries()) {
      yield* findDeclarationFaults(declaration, `${place}.function_declarations[${at}]`, names);
    }
  }
  yield* findChoiceFaults(body, names);
}

function* findDeclarationFaults(
  declaration: JsonObject,
  place: string,
  names: Set<string>,
): Generator<Rejection> {
  yield* findUnknownNames(declaration, DECLARATION, place);
  const name = String(declaration.name ?? '');
  if (!NAME_PATTERN.test(name)) {
    yield badRequest(
      `* GenerateContentRequest.${place}.name: Invalid function name. Must start with a letter or an underscore.`,
    );
  }
  if (names.has(name)) yield badRequest(`Duplicate function declaration found: ${name}`);
  names.add(name);
  const { parameters } = declaration;
  if (parameters !== undefined && fieldOf(declaration, 'parametersJsonSchema') !== undefined) {
    yield badRequest(`${place}: parameters and parameters_json_schema cannot both be set.`);
  }
  if (isJsonObject(parameters)) yield* findSchemaFaults(parameters, `${place}.parameters`);
}

/** The service's own schema dialect, which has fewer keywords than JSON Schema. */
function* findSchemaFaults(schema: JsonObject, place: string): Generator<Rejection> {
  yield* findUnknownNames(schema, SCHEMA, place);
  const { properties, items } = schema;
  for (const [name, property] of Object.entries(isJsonObject(properties) ? properties : {})) {
    if (isJsonObject(property)) yield* findSchemaFaults(property, `${place}.properties[${name}]`);
  }
  if (isJsonObject(items)) yield* findSchemaFaults(items, `${place}.items`);
  for (const [at, one] of objectsOf(fieldOf(schema, 'anyOf')).entries()) {
    yield* findSchemaFaults(one, `${place}.any_of[${at}]`);
  }
}

const MODES = ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'];

function* findChoiceFaults(body: JsonObject, names: ReadonlySet<string>): Generator<Rejection> {
  const toolConfig = fieldOf(body, 'toolConfig');
  const config = isJsonObject(toolConfig) ? fieldOf(toolConfig, 'functionCallingConfig') : undefined;
  if (!isJsonObject(config)) return;
  const { mode = 'AUTO' } = config;
  if (!MODES.includes(String(mode))) {
    yield badRequest(`Invalid value at 'tool_config.function_calling_config.mode', "${mode}"`);
  }
  const allowed = fieldOf(config, 'allowedFunctionNames');
  const listed: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
  if (listed.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED') {
    yield badRequest('Allowed function names should be set only when function calling mode is ANY.');
  }
  const stranger = listed.find((name) => !names.has(String(name)));
  if (stranger !== undefined) {
    yield badRequest(`allowed_function_names: '${stranger}' is not among the function declarations.`);
  }
  if (mode === 'ANY' && names.size === 0) {
    yield badRequest('Function calling config is set without function_declarations.');
  }
}
