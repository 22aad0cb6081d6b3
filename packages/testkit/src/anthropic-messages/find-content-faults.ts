import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

const USER_TYPES = ['text', 'image', 'document', 'search_result', 'tool_result', 'container_upload'];
const ASSISTANT_TYPES = [
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'fallback',
  'compaction',
  'mcp_tool_listing',
  'container_upload',
];
/**
 * Blocks of server tools, which are valid in assistant messages, too: `server_tool_use`,
 * `web_search_tool_result`, …
 */
const SERVER_TYPE = /^(?:server_tool_use|mcp_tool_use|.+_tool_result)$/;
const SYSTEM_TYPES = ['text', 'tool_addition', 'tool_removal'];
const RESULT_TYPES = ['text', 'image', 'document', 'search_result', 'tool_reference', 'browser_state'];
const ID_PATTERN = /^[a-zA-Z0-9_-]+$/;

/**
 * Finds faults within single content blocks. Other validators check for empty messages and match calls with
 * results.
 */
export function* findContentFaults(body: JsonObject, rules: ProviderRules): Generator<Rejection> {
  if (Array.isArray(body.system)) yield* findTextFaults(body.system, 'system');
  for (const [position, message] of objectsOf(body.messages).entries()) {
    const place = `messages.${position}.content`;
    const { content } = message;
    if (typeof content === 'string' && content.length > 0 && content.trim() === '') yield blankText();
    if (!Array.isArray(content)) continue;
    for (const [index, block] of content.entries()) {
      yield* findBlockFaults(block, { place: `${place}.${index}`, role: String(message.role), rules });
    }
    yield* findTextFaults(content, place);
  }
}

interface BlockPlace {
  readonly place: string;
  readonly role: string;
  readonly rules: ProviderRules;
}

function* findBlockFaults(block: unknown, { place, role, rules }: BlockPlace): Generator<Rejection> {
  if (!isJsonObject(block) || typeof block.type !== 'string') {
    yield badRequest(`${place}: Input should be an object with a type`);
    return;
  }
  const { type } = block;
  if (rules.contentTypes.includes(type)) return;
  const isKnown = isKnownIn('user', type) || isKnownIn('assistant', type) || isKnownIn('system', type);
  if (!isKnown) yield unknownType(place, type);
  else if (!isKnownIn(role, type)) {
    const home = ['user', 'assistant', 'system'].find((other) => isKnownIn(other, type));
    yield badRequest(`${place}: \`${type}\` blocks can only be in \`${home}\` messages`);
  }
  if (type === 'tool_use') yield* findCallFaults(block, place);
  if (type === 'tool_result') yield* findResultFaults(block, { place, role, rules });
  if (type === 'thinking') yield* findThoughtFaults(block, place);
  if (type === 'redacted_thinking' && typeof block.data !== 'string') {
    yield badRequest(`${place}.redacted_thinking.data: Field required`);
  }
}

function isKnownIn(role: string, type: string): boolean {
  if (role === 'user') return USER_TYPES.includes(type);
  if (role === 'system') return SYSTEM_TYPES.includes(type);
  return ASSISTANT_TYPES.includes(type) || SERVER_TYPE.test(type);
}

function* findCallFaults({ id, name, input }: JsonObject, place: string): Generator<Rejection> {
  if (typeof id !== 'string' || !ID_PATTERN.test(id)) {
    yield badRequest(`${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  }
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,200}$/.test(name)) {
    yield badRequest(`${place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`);
  }
  if (!isJsonObject(input)) yield badRequest(`${place}.tool_use.input: Input should be a valid dictionary`);
}

function* findResultFaults(block: JsonObject, { place, rules }: BlockPlace): Generator<Rejection> {
  const at = `${place}.tool_result`;
  if (typeof block.tool_use_id !== 'string') yield badRequest(`${at}.tool_use_id: Field required`);
  const { content } = block;
  const isEmpty =
    content === undefined ||
    content === null ||
    (Array.isArray(content) && content.length === 0) ||
    content === '';
  if (block.is_error === true && isEmpty)
    yield badRequest(`${at}: content cannot be empty if \`is_error\` is true`);
  if (!Array.isArray(content)) return;
  for (const [index, inner] of content.entries()) {
    const type = isJsonObject(inner) ? String(inner.type) : typeof inner;
    if (![...RESULT_TYPES, ...rules.contentTypes].includes(type))
      yield unknownType(`${at}.content.${index}`, type);
  }
  yield* findTextFaults(content, `${at}.content`);
}

function* findThoughtFaults(block: JsonObject, place: string): Generator<Rejection> {
  if (typeof block.thinking !== 'string') yield badRequest(`${place}.thinking.thinking: Field required`);
  if (typeof block.signature !== 'string') yield badRequest(`${place}.thinking.signature: Field required`);
  if (block.cache_control !== undefined) {
    yield badRequest(`${place}.thinking.cache_control: Extra inputs are not permitted`);
  }
}

function* findTextFaults(blocks: readonly unknown[], place: string): Generator<Rejection> {
  for (const [index, block] of blocks.entries()) {
    if (!isJsonObject(block) || block.type !== 'text') continue;
    if (typeof block.text !== 'string') yield badRequest(`${place}.${index}.text.text: Field required`);
    else if (block.text === '') yield badRequest(`${place}: text content blocks must be non-empty`);
    else if (block.text.trim() === '') yield blankText();
  }
}

function blankText(): Rejection {
  return badRequest('messages: text content blocks must contain non-whitespace text');
}

function unknownType(place: string, type: string): Rejection {
  const fault = `Input tag '${type}' found using 'type' does not match any of the expected tags`;
  return badRequest(`${place}: ${fault}`);
}
