import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import type { Route } from '../upstream/route-of.ts';
import type { PromptBlock } from './prompt-cache.ts';

/**
 * Renders a request as its provider does: tools, then the system prompt, then the messages. A deferred
 * definition stands where a result refers to it. Marks are not part of the text.
 */
export function renderPrompt(route: Route, body: JsonObject): PromptBlock[] {
  const tools = toolsOf(body);
  const isDeferred = (tool: JsonObject) => tool.defer_loading === true;
  const deferred = new Map(tools.filter(isDeferred).map((tool) => [nameOf(tool), JSON.stringify(tool)]));
  const shown = tools.filter((tool) => !isDeferred(tool)).map(blockOf);
  const system = [body.system, body.instructions, body.systemInstruction, body.system_instruction];
  const messages = listOf(body.messages ?? body.contents ?? body.input);
  const blocks = [
    ...shown,
    ...system.flatMap((part) => (part === undefined ? [] : contentOf(part).map(blockOf))),
    ...messages.flatMap((message) => renderMessage(message, deferred)),
  ];
  const joined = route === 'bedrock-converse' ? joinCachePoints(blocks) : blocks;
  // A mark on the request itself stands for one on its last block.
  const isMarkedWhole = isJsonObject(body.cache_control) && joined.length > 0;
  return isMarkedWhole ? [...joined.slice(0, -1), { ...joined.at(-1)!, isMarked: true }] : joined;
}

function toolsOf({ tools, toolConfig }: JsonObject): JsonObject[] {
  const list = objectsOf(isJsonObject(toolConfig) ? toolConfig.tools : tools);
  return list.flatMap((tool) => {
    const declared = objectsOf(tool.functionDeclarations ?? tool.function_declarations);
    return declared.length > 0 ? declared : [tool];
  });
}

function nameOf(tool: JsonObject): string {
  return String(tool.name ?? (isJsonObject(tool.function) ? tool.function.name : ''));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function contentOf(value: unknown): readonly unknown[] {
  if (!isJsonObject(value)) return listOf(value);
  const content = value.content ?? value.parts;
  return Array.isArray(content) ? content : [value];
}

/** Returns the blocks of a message: one for each part of its content. */
function renderMessage(message: unknown, deferred: ReadonlyMap<string, string>): PromptBlock[] {
  const role = isJsonObject(message) ? String(message.role ?? message.type ?? '') : '';
  return contentOf(message).map((part) => {
    const { text, isMarked } = blockOf(part);
    return { text: role + text + expansionsIn(part, deferred), isMarked };
  });
}

/** Returns the definitions that a part refers to. */
function expansionsIn(part: unknown, deferred: ReadonlyMap<string, string>): string {
  if (deferred.size === 0 || !isJsonObject(part)) return '';
  return objectsOf(part.content)
    .filter(({ type }) => type === 'tool_reference')
    .map(({ tool_name: name }) => deferred.get(String(name)) ?? '')
    .join('');
}

function blockOf(value: unknown): PromptBlock {
  if (!isJsonObject(value)) return { text: JSON.stringify(value), isMarked: false };
  const { cache_control: mark, ...rest } = value;
  return { text: JSON.stringify(rest), isMarked: isJsonObject(mark) };
}

/** Converse marks a prefix by a block of its own behind it. */
function joinCachePoints(blocks: readonly PromptBlock[]): PromptBlock[] {
  const joined: PromptBlock[] = [];
  for (const block of blocks) {
    if (!block.text.includes('{"cachePoint":')) joined.push(block);
    else if (joined.length > 0) joined.push({ ...joined.pop()!, isMarked: true });
  }
  return joined;
}
