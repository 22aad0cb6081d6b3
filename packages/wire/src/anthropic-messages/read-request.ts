import type { BypassReason } from '@winnow/core';
import type { SessionHint, ToolChoice, ToolEntry, ToolSection, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader, type RequestBody } from '../request/read-body.ts';
import { type HistoryFacts, NamesInHistory, readOpening } from '../request/read-history.ts';
import { type EntryFacts, entryFacts, toolListReader } from '../request/tool-entries.ts';

/** Reads a request to the Messages API or its token counter, which takes the same body. */
export const readRequest = createRequestReader(
  createBodyReader({ history: 'messages', tools: 'tools', readTools: toolListReader(readTool) }),
  (request, { searchToolName, path }) => {
    const { body, history } = request;
    return {
      model: typeof body.model === 'string' ? body.model : readModelOfPath(path),
      isStream: body.stream === true,
      toolChoice: readToolChoice(body.tool_choice),
      ...readHistory(history),
      ...readOpening({ body, history, readText: (content) => readText({ content }) }),
      sessionHints: readSessionHints(body.metadata),
      bypass: findBypass(request, searchToolName),
    };
  },
);

function readToolChoice(choice: unknown): ToolChoice {
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  const names = choice.type === 'tool' && typeof choice.name === 'string' ? [choice.name] : [];
  if (choice.type === 'none') return { mode: 'none', names };
  return { mode: choice.type === 'any' || choice.type === 'tool' ? 'required' : 'auto', names };
}

/**
 * Returns `user_id` if it names a session. The field is meant for the end user, and identifies a conversation
 * only where a client writes its session into it.
 */
function readSessionHints(metadata: unknown): SessionHint[] {
  const value = isJsonObject(metadata) ? metadata.user_id : undefined;
  const namesSession = typeof value === 'string' && value.includes('session');
  return namesSession ? [{ source: 'metadata.user_id', value }] : [];
}

function findBypass(
  { body, history, toolSection }: RequestBody,
  searchToolName: string,
): BypassReason | undefined {
  // The provider keeps the thread, and each response may be continued only once: hidden rounds would use that
  // up.
  if (isJsonObject(body.thread)) return 'continued_thread';
  if ((toolSection && defersTools(toolSection)) || history.some(changesTools)) return 'client_defers';
  return commonBypass(toolSection, searchToolName, endsInPrefill(history));
}

const defersTools = rememberBy(({ entries }: ToolSection) => entries.some(defersByItself));

const TOOL_CHANGES = new Set<unknown>(['tool_addition', 'tool_removal']);

/** Whether the client loads tools through the conversation itself. */
function changesTools(message: unknown): boolean {
  return readBlocks(message).some(
    ({ type, content }) =>
      TOOL_CHANGES.has(type) ||
      (type === 'tool_result' && readBlocks({ content }).some((part) => part.type === 'tool_reference')),
  );
}

/**
 * Whether the request ends in a prefill. The client resends a turn that paused within the provider's own
 * tools, to continue it; that is not a prefill.
 */
function endsInPrefill(messages: readonly unknown[]): boolean {
  const last = messages.at(-1);
  if (!isJsonObject(last) || last.role !== 'assistant') return false;
  const type = readBlocks(last).at(-1)?.type;
  return typeof type !== 'string' || !(type === 'server_tool_use' || type.endsWith('_tool_result'));
}

/** Returns the model in a Vertex path; undefined for every other path and for the token counter. */
function readModelOfPath(path: string): string | undefined {
  const model = /\/publishers\/anthropic\/models\/([^/:]+):(?:rawPredict|streamRawPredict)$/.exec(path)?.[1];
  return model === 'count-tokens' ? undefined : model;
}

/** Reads the visible history once, in order. */
function readHistory(messages: readonly unknown[]): HistoryFacts {
  const turns: VisibleTurn[] = [];
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  messages.forEach((message, position) => {
    const role = isJsonObject(message) ? message.role : undefined;
    const blocks = readBlocks(message);
    if (role === 'assistant') {
      const calls = blocks.filter(isToolUse);
      turns.push({ position, callIds: calls.map(({ id }) => id) });
      for (const call of calls.filter(isOwnTool)) names.call(call.name, call.id);
    } else if (role === 'user') {
      for (const { type, tool_use_id: id } of blocks) if (type === 'tool_result') names.resultOf(String(id));
      userTexts.push(readText(message));
    }
  });
  return { turns, ...names.factsWith(userTexts) };
}

/** Members of a toolset are never entries of the request's tools, even if their names match. */
function isOwnTool({ toolset_name: toolset }: ToolUse): boolean {
  return toolset === undefined || toolset === null;
}

/** Whether an entry shows that the client defers tools itself: a vendor's search tool, or a deferred tool. */
export function defersByItself({ definition }: ToolEntry): boolean {
  if (!isJsonObject(definition)) return false;
  const { type, default_config: defaults, configs } = definition;
  if (typeof type === 'string' && type.startsWith('tool_search_tool')) return true;
  // A toolset defers all of its members at once, or each separately.
  const members = isJsonObject(configs) ? Object.values(configs) : [];
  return [definition, defaults, ...members].some((part) => isJsonObject(part) && part.defer_loading === true);
}

function readTool(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  const isCacheMarked = isJsonObject(entry.cache_control);
  return { ...entryFacts(definition, entry, isPlainFunction(entry)), isCacheMarked };
}

/** Whether an entry is a plain function. An entry with another `type` is a vendor's tool, known or not. */
function isPlainFunction({ type, input_schema: schema, allowed_callers: callers }: JsonObject): boolean {
  const isOfClient = type === undefined || type === null || type === 'custom';
  // Programs call a tool by its declaration, which must stay.
  const isForModel = !Array.isArray(callers) || callers.every((caller) => caller === 'direct');
  return isOfClient && isForModel && isJsonObject(schema);
}

/**
 * Returns the content blocks of a message. A plain string is one text block; elements that are not blocks are
 * left out.
 */
export function readBlocks(message: unknown): readonly JsonObject[] {
  const content = isJsonObject(message) ? message.content : undefined;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** A call for the client: of one of its tools, or of a member of a toolset, which has its own name. */
export interface ToolUse extends JsonObject {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
}

/** Whether a block is a call of a tool that the client runs. */
export function isToolUse(block: JsonObject): block is ToolUse {
  return block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string';
}

/** Returns the text blocks of a message, joined by line feeds; empty when there are none. */
function readText(message: unknown): string {
  return readBlocks(message)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}

/** Whether a block is thinking that the provider signed. */
export function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
