import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { emptyArray } from './empty-array.ts';
import { findSchemaFault } from './find-schema-fault.ts';
import { functionOf } from './function-of.ts';

const NAME_PATTERN = /^[a-zA-Z0-9_-]+$/;
const LONGEST_NAME = 64;

export function* findToolFaults(body: JsonObject, rules: ProviderRules): Generator<Rejection> {
  if (body.tools === undefined || body.tools === null) return;
  if (!Array.isArray(body.tools)) {
    yield badRequest("Invalid type for 'tools': expected an array of objects.", {
      param: 'tools',
      code: 'invalid_type',
    });
    return;
  }
  if (body.tools.length === 0) yield emptyArray('tools');
  if (body.tools.length > rules.mostTools) yield tooMany(body.tools.length, rules.mostTools);
  const names = new Set<string>();
  for (const [position, tool] of body.tools.entries()) {
    yield* findEntryFaults(tool, { place: `tools[${position}]`, rules, names });
  }
}

interface ToolPlace {
  readonly place: string;
  readonly rules: ProviderRules;
  /** Names so far; the function adds the tool's own. */
  readonly names: Set<string>;
}

function* findEntryFaults(tool: unknown, { place, rules, names }: ToolPlace): Generator<Rejection> {
  if (isJsonObject(tool) && rules.toolTypes.some((type) => type === tool.type)) return;
  if (!isJsonObject(tool) || (tool.type !== 'function' && tool.type !== 'custom')) {
    yield badRequest("Invalid value. Supported values are: 'function' and 'custom'.", {
      param: `${place}.type`,
      code: 'invalid_value',
    });
    return;
  }
  const described = functionOf(tool);
  if (described === undefined) {
    yield badRequest(`Missing required parameter: '${place}.${tool.type}.name'.`, {
      param: `${place}.${tool.type}.name`,
      code: 'missing_required_parameter',
    });
    return;
  }
  yield* findNameFaults(described.name, { place: `${place}.${tool.type}.name`, names });
  yield* findDescriptionFaults(described, { place: `${place}.${tool.type}.description`, rules });
  if (tool.type === 'function') yield* findParameterFaults(described, `${place}.function.parameters`);
}

function* findNameFaults(
  name: string,
  { place, names }: Pick<ToolPlace, 'place' | 'names'>,
): Generator<Rejection> {
  if (!NAME_PATTERN.test(name)) {
    const expectation = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
    yield badRequest(`Invalid '${place}': string does not match pattern. ${expectation}`, {
      param: place,
      code: 'invalid_value',
    });
  }
  if (name.length > LONGEST_NAME) yield tooLong(place, LONGEST_NAME);
  if (names.has(name)) {
    yield badRequest(`Invalid '${place}': a tool named '${name}' is declared twice.`, { param: place });
  }
  names.add(name);
}

function* findDescriptionFaults(
  { description }: JsonObject,
  { place, rules }: Pick<ToolPlace, 'place' | 'rules'>,
): Generator<Rejection> {
  if (description === undefined || description === null) return;
  if (typeof description !== 'string') {
    yield badRequest(`Invalid type for '${place}': expected a string.`, {
      param: place,
      code: 'invalid_type',
    });
  } else if (description.length > rules.longestDescription) yield tooLong(place, rules.longestDescription);
}

function* findParameterFaults(described: JsonObject & { name: string }, place: string): Generator<Rejection> {
  if (described.parameters === undefined || described.parameters === null) return;
  const fault = findSchemaFault(described.parameters, described.strict === true);
  if (fault === undefined) return;
  yield badRequest(`Invalid schema for function '${described.name}': ${fault}`, {
    param: place,
    code: 'invalid_function_parameters',
  });
}

function tooMany(count: number, limit: number): Rejection {
  const expectation = `Expected an array with maximum length ${limit}, but got an array with length ${count} instead.`;
  return badRequest(`Invalid 'tools': array too long. ${expectation}`, {
    param: 'tools',
    code: 'array_above_max_length',
  });
}

function tooLong(param: string, limit: number): Rejection {
  return badRequest(`Invalid '${param}': string too long. Expected a string with maximum length ${limit}.`, {
    param,
    code: 'string_above_max_length',
  });
}
