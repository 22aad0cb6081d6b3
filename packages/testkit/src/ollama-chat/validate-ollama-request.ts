import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import type { ProviderRequest } from '../upstream/upstream-format.ts';

/**
 * Returns the error with which Ollama refuses a request: members of the wrong type, in the words of Go's JSON
 * decoder. Other faults, such as a result without a call, enter the prompt unchanged; {@link
 * findOrphanResults} finds them.
 *
 * Source: `ChatRequest` and `Message` in `api/types.go`, `ChatHandler` in `server/routes.go` of
 * https://github.com/ollama/ollama.
 */
export function validateOllamaRequest({ json }: ProviderRequest): Rejection | undefined {
  if (json === undefined) return badRequest('invalid character looking for beginning of value');
  if (!isJsonObject(json)) return badRequest(mismatch(json, 'Go value of type api.ChatRequest'));
  const fault = findFault(json, REQUEST, 'ChatRequest');
  if (fault !== undefined) return badRequest(fault);
  return typeof json.model === 'string' && json.model !== '' ? undefined : badRequest('model is required');
}

/** The type of each member; members may always be missing or null. */
type Shape =
  | 'string'
  | 'boolean'
  | 'number'
  | 'object'
  | 'any'
  | { readonly list: Shape }
  | { readonly members: Readonly<Record<string, Shape>> };

const TOOL_CALL: Shape = {
  members: {
    id: 'string',
    function: { members: { index: 'number', name: 'string', arguments: 'object' } },
  },
};

const MESSAGE: Shape = {
  members: {
    role: 'string',
    content: 'string',
    thinking: 'string',
    images: { list: 'string' },
    tool_calls: { list: TOOL_CALL },
    tool_name: 'string',
    tool_call_id: 'string',
  },
};

const TOOL: Shape = {
  members: {
    type: 'string',
    function: { members: { name: 'string', description: 'string', parameters: 'object' } },
  },
};

const REQUEST: Readonly<Record<string, Shape>> = {
  model: 'string',
  messages: { list: MESSAGE },
  stream: 'boolean',
  format: 'any',
  keep_alive: 'any',
  tools: { list: TOOL },
  options: 'object',
  think: 'any',
  truncate: 'boolean',
  shift: 'boolean',
  logprobs: 'boolean',
  top_logprobs: 'number',
};

/** Unknown members are accepted. */
function findFault(
  value: JsonObject,
  members: Readonly<Record<string, Shape>>,
  place: string,
): string | undefined {
  for (const [name, shape] of Object.entries(members)) {
    const fault = faultOf(value[name], shape, `${place}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(value: unknown, shape: Shape, place: string): string | undefined {
  if (value === undefined || value === null || shape === 'any') return undefined;
  if (typeof shape === 'string') {
    const isRight = shape === 'object' ? isJsonObject(value) : typeof value === shape;
    return isRight ? undefined : mismatch(value, `Go struct field ${place} of type ${GO_TYPES[shape]}`);
  }
  if ('list' in shape) {
    if (!Array.isArray(value)) return mismatch(value, `Go struct field ${place} of type []`);
    return value.map((item) => faultOf(item, shape.list, place)).find((fault) => fault !== undefined);
  }
  if (!isJsonObject(value)) return mismatch(value, `Go struct field ${place} of type struct`);
  return findFault(value, shape.members, place);
}

const GO_TYPES = { string: 'string', boolean: 'bool', number: 'int', object: 'map[string]interface {}' };

function mismatch(value: unknown, target: string): string {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${kind} into ${target}`;
}
