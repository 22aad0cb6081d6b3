import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { normalMessages } from './normal-messages.ts';

const ROLES = ['user', 'assistant', 'system'];

/** Finds faults in the order and roles of messages, and empty messages. */
export function* findMessageFaults(body: JsonObject): Generator<Rejection> {
  const messages: readonly unknown[] = Array.isArray(body.messages) ? body.messages : [];
  for (const [position, message] of messages.entries()) {
    if (!isJsonObject(message)) {
      yield badRequest(`messages.${position}: Input should be a valid dictionary`);
      continue;
    }
    if (!ROLES.includes(String(message.role))) yield unexpectedRole(message.role);
    yield* findEmptiness(message, { position, isLast: position === messages.length - 1 });
  }
  if (isJsonObject(messages[0]) && messages[0].role !== 'user') {
    yield badRequest('messages: first message must use the "user" role');
  }
  yield* findSystemPlaceFaults(body);
  yield* findPrefillFaults(body);
}

interface MessagePlace {
  readonly position: number;
  readonly isLast: boolean;
}

function* findEmptiness(
  { role, content }: JsonObject,
  { position, isLast }: MessagePlace,
): Generator<Rejection> {
  if (content === undefined || content === null)
    yield badRequest(`messages.${position}.content: Field required`);
  else if (typeof content !== 'string' && !Array.isArray(content)) {
    yield badRequest(`messages.${position}.content: Input should be a valid list`);
  } else if (content.length === 0 && !(isLast && role === 'assistant')) {
    const rule = 'all messages must have non-empty content except for the optional final assistant message';
    yield badRequest(`messages.${position}: ${rule}`);
  }
}

/**
 * A system message within the conversation must follow a user message, and be last or precede an assistant
 * message.
 */
function* findSystemPlaceFaults(body: JsonObject): Generator<Rejection> {
  const messages = normalMessages(body.messages);
  for (const [index, { role, position }] of messages.entries()) {
    if (role !== 'system') continue;
    const next = messages[index + 1];
    if (messages[index - 1]?.role !== 'user' || (next !== undefined && next.role !== 'assistant')) {
      yield badRequest(
        `messages.${position}: a "system" message must follow a "user" message and be last or precede an "assistant" message`,
      );
    }
  }
}

function* findPrefillFaults(body: JsonObject): Generator<Rejection> {
  const last = normalMessages(body.messages).at(-1);
  if (last?.role !== 'assistant') return;
  const block = last.blocks.at(-1);
  if (block?.type === 'text' && typeof block.text === 'string' && /\s$/.test(block.text)) {
    yield badRequest('messages: final assistant content cannot end with trailing whitespace');
  }
  const isThinking = isJsonObject(body.thinking) && body.thinking.type !== 'disabled';
  // A turn that the provider itself paused continues from its server tools; that is not a prefill.
  const isPaused = last.blocks.some(({ type }) => type === 'server_tool_use');
  if (isThinking && !isPaused) {
    yield badRequest('messages: prefilling the assistant message is not supported when thinking is enabled.');
  }
}

function unexpectedRole(role: unknown): Rejection {
  const rule =
    'Allowed roles are "user" or "assistant". For system instructions use the top-level `system` parameter.';
  return badRequest(`messages: Unexpected role "${role}". ${rule}`);
}
