import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

/**
 * Finds calls without results and results without calls.
 *
 * The results of an assistant message follow it directly, one for each call, before any other role.
 */
export function* findCallFaults(body: JsonObject): Generator<Rejection> {
  const messages = objectsOf(body.messages);
  let waiting = new Map<string, 'unanswered' | 'answered'>();
  for (const [position, message] of messages.entries()) {
    const param = `messages.[${position}].role`;
    if (message.role === 'tool') {
      yield* findResultFaults(message, { position, waiting });
      waiting.set(String(message.tool_call_id), 'answered');
      continue;
    }
    yield* findUnanswered(waiting, param);
    const ids = objectsOf(message.tool_calls).map(({ id }) => String(id));
    // Not documented by OpenAI: two calls with one id cannot both get a result.
    if (new Set(ids).size < ids.length) yield badRequest('Duplicate ids in tool_calls.', { param });
    waiting = new Map(message.role === 'assistant' ? ids.map((id) => [id, 'unanswered']) : []);
  }
  yield* findUnanswered(waiting, `messages.[${messages.length}].role`);
}

interface Results {
  readonly position: number;
  readonly waiting: ReadonlyMap<string, 'unanswered' | 'answered'>;
}

function* findResultFaults(message: JsonObject, { position, waiting }: Results): Generator<Rejection> {
  const id = String(message.tool_call_id);
  if (waiting.size === 0) {
    const rule = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    yield badRequest(`Invalid parameter: ${rule}`, { param: `messages.[${position}].role` });
  } else if (waiting.get(id) !== 'unanswered') {
    const fault = waiting.has(id) ? 'is answered twice' : "not found in 'tool_calls' of previous message";
    yield badRequest(`Invalid parameter: 'tool_call_id' of '${id}' ${fault}.`, {
      param: `messages.[${position}].tool_call_id`,
    });
  }
}

function* findUnanswered(waiting: Results['waiting'], param: string): Generator<Rejection> {
  const ids = [...waiting].flatMap(([id, state]) => (state === 'unanswered' ? [id] : []));
  if (ids.length === 0) return;
  const rule =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  yield badRequest(`${rule} The following tool_call_ids did not have response messages: ${ids.join(', ')}`, {
    param,
  });
}
