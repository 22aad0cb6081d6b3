import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { type NormalMessage, normalMessages } from './normal-messages.ts';

/**
 * Finds calls without results and results without calls.
 *
 * The user message after an assistant message with calls begins with one result for each call, in any order;
 * other content follows. Tool blocks require at least one declared tool.
 */
export function* findCallFaults(body: JsonObject): Generator<Rejection> {
  const messages = normalMessages(body.messages);
  const everyId = new Set<string>();
  for (const [index, message] of messages.entries()) {
    yield* findRepeatedIds(message, everyId);
    yield* findUnanswered(message, messages[index + 1]);
    yield* findOrphans(message, messages[index - 1]);
  }
  const hasToolBlocks = messages.some((message) => [...callIds(message), ...resultIds(message)].length > 0);
  if (hasToolBlocks && objectsOf(body.tools).length === 0) {
    yield badRequest('tools: Field required when the conversation holds tool_use or tool_result blocks');
  }
}

/** The ids of the calls of an assistant message. */
function callIds({ role, blocks }: NormalMessage): string[] {
  if (role !== 'assistant') return [];
  return blocks.flatMap((block) => (block.type === 'tool_use' ? [String(block.id)] : []));
}

function resultIds({ blocks }: Pick<NormalMessage, 'blocks'>): string[] {
  return blocks.flatMap((block) => (block.type === 'tool_result' ? [String(block.tool_use_id)] : []));
}

/** The results at the start of a message. Results after other content do not count. */
function leadingResultIds({ blocks }: NormalMessage): string[] {
  const end = blocks.findIndex(({ type }) => type !== 'tool_result');
  return resultIds({ blocks: end === -1 ? blocks : blocks.slice(0, end) });
}

function* findRepeatedIds(message: NormalMessage, everyId: Set<string>): Generator<Rejection> {
  for (const id of callIds(message)) {
    if (everyId.has(id)) yield badRequest(`messages.${message.position}: \`tool_use\` ids must be unique`);
    everyId.add(id);
  }
  const answered = new Set<string>();
  for (const id of resultIds(message)) {
    if (answered.has(id)) {
      const rule = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
      yield badRequest(`messages.${message.position}.content: ${rule}`);
    }
    answered.add(id);
  }
}

function* findUnanswered(message: NormalMessage, next: NormalMessage | undefined): Generator<Rejection> {
  const answered = next?.role === 'user' ? leadingResultIds(next) : [];
  const missing = callIds(message).filter((id) => !answered.includes(id));
  if (missing.length === 0) return;
  const fault = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`;
  const rule = 'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
  yield badRequest(`messages.${message.position}: ${fault}. ${rule}`);
}

function* findOrphans(message: NormalMessage, previous: NormalMessage | undefined): Generator<Rejection> {
  const asked = previous === undefined ? [] : callIds(previous);
  const orphan = resultIds(message).find((id) => !asked.includes(id));
  if (orphan === undefined) return;
  const fault = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}`;
  const rule = 'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.';
  yield badRequest(`messages.${message.position}.content: ${fault}. ${rule}`);
}
