import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { objectIn } from './normal-turns.ts';
import { findUnknownNames } from './unknown-names.ts';

const ROLES = ['user', 'model', 'function'];

/** Members of a part; each part has exactly one of them. */
const DATA = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];
const BESIDE_DATA = ['thought', 'thoughtSignature', 'videoMetadata', 'mediaResolution', 'partMetadata'];
const CALL = ['id', 'name', 'args', 'partialArgs', 'willContinue'];
const RESPONSE = ['id', 'name', 'response', 'willContinue', 'scheduling', 'parts'];

/**
 * Finds faults of single contents: roles, parts, and the shape of calls and results. Other validators check
 * the order.
 */
export function* findContentFaults({ contents }: JsonObject): Generator<Rejection> {
  if (!Array.isArray(contents) || contents.length === 0) {
    yield badRequest('* GenerateContentRequest.contents: contents is not specified');
    return;
  }
  for (const [position, content] of contents.entries()) {
    const place = `contents[${position}]`;
    if (!isJsonObject(content)) yield badRequest(`Invalid value at '${place}'`);
    else yield* findFaultsOfContent(content, place);
  }
}

function* findFaultsOfContent(content: JsonObject, place: string): Generator<Rejection> {
  yield* findUnknownNames(content, ['role', 'parts'], place);
  if (content.role !== undefined && !ROLES.includes(String(content.role))) {
    yield badRequest('Please use a valid role: user, model.');
  }
  const { parts } = content;
  if (!Array.isArray(parts) || parts.length === 0) {
    yield badRequest(`* GenerateContentRequest.${place}.parts: contents.parts must not be empty.`);
    return;
  }
  for (const [index, part] of parts.entries()) {
    if (!isJsonObject(part)) yield badRequest(`Invalid value at '${place}.parts[${index}]'`);
    else yield* findPartFaults(part, `${place}.parts[${index}]`);
  }
}

function* findPartFaults(part: JsonObject, place: string): Generator<Rejection> {
  yield* findUnknownNames(part, [...DATA, ...BESIDE_DATA], place);
  const data = DATA.filter((name) => objectIn(part, name) !== undefined || typeof part[name] === 'string');
  if (data.length !== 1) {
    yield badRequest(
      `* GenerateContentRequest.${place}.data: required oneof field 'data' must have one initialized field`,
    );
  }
  const call = objectIn(part, 'functionCall');
  if (call !== undefined) {
    yield* findUnknownNames(call, CALL, `${place}.function_call`);
    if (typeof call.name !== 'string' || call.name === '') {
      yield badRequest(`* GenerateContentRequest.${place}.function_call.name: Name cannot be empty.`);
    }
    if (call.args !== undefined && !isJsonObject(call.args)) {
      yield badRequest(`Invalid value at '${place}.function_call.args'`);
    }
  }
  const response = objectIn(part, 'functionResponse');
  if (response === undefined) return;
  yield* findUnknownNames(response, RESPONSE, `${place}.function_response`);
  if (!isJsonObject(response.response))
    yield badRequest(`Invalid value at '${place}.function_response.response'`);
}
