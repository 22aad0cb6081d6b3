import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { emptyArray } from './empty-array.ts';
import { functionOf } from './function-of.ts';

const CONTENT_TYPES = new Map([
  ['system', ['text']],
  ['developer', ['text']],
  ['user', ['text', 'image_url', 'input_audio', 'file']],
  ['assistant', ['text', 'refusal']],
  ['tool', ['text']],
  ['function', ['text']],
]);
/** OpenAI's limit for the length of a call's id. */
const LONGEST_CALL_ID = 40;

/**
 * Finds faults of single messages: roles, contents, and the shape of calls. Other validators check the order.
 */
export function* findMessageFaults(body: JsonObject, rules: ProviderRules): Generator<Rejection> {
  for (const [position, message] of asList(body.messages).entries()) {
    const place = `messages[${position}]`;
    if (!isJsonObject(message)) {
      yield badRequest(`Invalid type for '${place}': expected an object.`, {
        param: place,
        code: 'invalid_type',
      });
      continue;
    }
    const types = typeof message.role === 'string' ? CONTENT_TYPES.get(message.role) : undefined;
    if (types === undefined) {
      yield invalidValue(`${place}.role`, message.role, [...CONTENT_TYPES.keys()]);
      continue;
    }
    const ofDeferral = rules.hasChatDeferral && message.role === 'tool' ? ['tool_reference'] : [];
    yield* findContentFaults(message, { place, types: [...types, ...ofDeferral, ...rules.contentTypes] });
    if (message.role === 'assistant' && message.tool_calls !== undefined) {
      yield* findCallShapeFaults(message.tool_calls, `${place}.tool_calls`);
    }
    if (message.role === 'tool' && typeof message.tool_call_id !== 'string') {
      yield missing(`${place}.tool_call_id`);
    }
  }
}

interface ContentPlace {
  readonly place: string;
  readonly types: readonly string[];
}

function* findContentFaults(message: JsonObject, { place, types }: ContentPlace): Generator<Rejection> {
  const { content } = message;
  const param = `${place}.content`;
  if (content === undefined || content === null) {
    // An assistant message may consist of only calls, a refusal or audio.
    const { tool_calls, function_call, refusal, audio } = message;
    const hasOther = message.role === 'assistant' && Boolean(tool_calls ?? function_call ?? refusal ?? audio);
    if (!hasOther) yield badRequest("Invalid value for 'content': expected a string, got null.", { param });
  } else if (Array.isArray(content)) {
    if (content.length === 0) yield emptyArray(param);
    for (const [position, part] of content.entries()) {
      const type = isJsonObject(part) ? part.type : undefined;
      if (!types.some((known) => known === type))
        yield invalidValue(`${param}[${position}].type`, type, types);
    }
  } else if (typeof content !== 'string') {
    yield badRequest(`Invalid type for '${param}': expected one of a string or array of objects.`, {
      param,
      code: 'invalid_type',
    });
  }
}

function* findCallShapeFaults(calls: unknown, place: string): Generator<Rejection> {
  if (Array.isArray(calls) && calls.length === 0) yield emptyArray(place);
  for (const [position, call] of asList(calls).entries()) {
    const param = `${place}[${position}]`;
    if (!isJsonObject(call) || typeof call.id !== 'string') {
      yield missing(`${param}.id`);
      continue;
    }
    if (call.id.length > LONGEST_CALL_ID) yield callIdTooLong(`${param}.id`, call.id);
    if (call.type !== 'function' && call.type !== 'custom') {
      yield invalidValue(`${param}.type`, call.type, ['function', 'custom']);
    }
    if (functionOf(call) === undefined) yield missing(`${param}.function.name`);
    const hasText = isJsonObject(call.function) && typeof call.function.arguments === 'string';
    if (call.type === 'function' && !hasText) {
      yield badRequest(`Invalid type for '${param}.function.arguments': expected a string.`, {
        param: `${param}.function.arguments`,
        code: 'invalid_type',
      });
    }
  }
}

function callIdTooLong(param: string, id: string): Rejection {
  const found = `but got a string with length ${id.length} instead.`;
  const expectation = `Expected a string with maximum length ${LONGEST_CALL_ID}, ${found}`;
  return badRequest(`Invalid '${param}': string too long. ${expectation}`, {
    param,
    code: 'string_above_max_length',
  });
}

function missing(param: string): Rejection {
  return badRequest(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });
}

function invalidValue(param: string, value: unknown, allowed: readonly string[]): Rejection {
  const list = allowed.map((name) => `'${name}'`).join(', ');
  return badRequest(`Invalid value: '${value}'. Supported values are: ${list}.`, {
    param,
    code: 'invalid_value',
  });
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
