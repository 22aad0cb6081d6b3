import { type BypassReason, decodePercent, memberSpan } from '@winnow/core';
import type { ToolChoice, ToolList, ToolSection, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { type BodyLayout, createBodyReader, type RequestBody } from '../request/read-body.ts';
import { type HistoryFacts, NamesInHistory, readOpening } from '../request/read-history.ts';
import { type EntryFacts, entryFacts, readEntries } from '../request/tool-entries.ts';

const LAYOUT: BodyLayout = { history: 'messages', tools: 'toolConfig', readTools };
const readBody = createBodyReader(LAYOUT);
/** A request for a token count contains the request as a member. `anthropicBedrock` reads one for InvokeModel. */
const readCounted = createBodyReader({ ...LAYOUT, within: ['input', 'converse'] });

/** Reads a request of Converse, or for the count of its tokens. Its path tells whether it asks for a stream. */
export const readRequest = createRequestReader(
  (bytes, options) => (options.purpose === 'answer' ? readBody : readCounted)(bytes, options),
  (request, { searchToolName, path }) => {
    const { body, history } = request;
    const target = readTarget(path);
    return {
      model: target?.model,
      isStream: target?.isStream === true,
      toolChoice: readToolChoice(body.toolConfig),
      ...readHistory(history),
      ...readOpening({ body, history, readText: (content) => readText({ content }) }),
      bypass: findBypass(request, searchToolName),
    };
  },
);

/** Reads the tool choice. Converse has no way to forbid calls. */
function readToolChoice(config: unknown): ToolChoice {
  const choice = isJsonObject(config) ? config.toolChoice : undefined;
  if (!isJsonObject(choice)) return { mode: 'auto', names: [] };
  const { tool, any } = choice;
  const names = isJsonObject(tool) && typeof tool.name === 'string' ? [tool.name] : [];
  return { mode: isJsonObject(any) || isJsonObject(tool) ? 'required' : 'auto', names };
}

function findBypass({ history, toolSection }: RequestBody, searchToolName: string): BypassReason | undefined {
  if (history.some(changesTools)) return 'client_defers';
  const last = history.at(-1);
  const isPrefill = isJsonObject(last) && last.role === 'assistant';
  return commonBypass(toolSection, searchToolName, isPrefill);
}

/** Whether the client loads tools through the conversation itself. */
function changesTools(message: unknown): boolean {
  return readBlocks(message).some((block: JsonObject) => 'toolAddition' in block || 'toolRemoval' in block);
}

/** The facts in the path of a request: the body has neither the model nor a stream flag. */
export interface RequestTarget {
  readonly isStream: boolean;
  /** A model's id, an inference profile or its ARN. */
  readonly model: string;
}

/**
 * Returns the model of a path and whether it streams; undefined for every other operation. Matches
 * `/model/{id}/converse`, `/model/{id}/converse-stream` and `/model/{id}/count-tokens` under any prefix.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
function readTarget(path: string): RequestTarget | undefined {
  const [, model = '', operation] =
    /\/model\/([^/]+)\/(converse|converse-stream|count-tokens)$/.exec(path) ?? [];
  return operation === undefined
    ? undefined
    : { isStream: operation === 'converse-stream', model: decodePercent(model) };
}

/** Reads the value of `toolConfig`, where the list of tools is one of several members. */
function readTools(value: unknown, text: string): ToolSection {
  const tools = isJsonObject(value) ? value.tools : undefined;
  const span = memberSpan(text, 0, 'tools');
  if (!Array.isArray(tools) || span === undefined) return { text, value, lists: [], entries: [] };
  const list: ToolList = { span, path: ['tools'] };
  return { text, value, lists: [list], entries: readEntries(text, list, tools, readTool) };
}

/** Whether an entry marks the end of a prefix to cache. */
function isCachePoint(definition: unknown): boolean {
  return isJsonObject(definition) && 'cachePoint' in definition;
}

/**
 * Reads an entry. A client's tool has a `toolSpec`; the provider's entries, known or not, have other members.
 */
function readTool(definition: unknown): EntryFacts {
  const specification = isJsonObject(definition) ? definition.toolSpec : undefined;
  const isAlone = isJsonObject(definition) && !OTHER_KINDS.some((kind) => kind in definition);
  const isPlain = isAlone && isJsonObject(specification) && isJsonObject(specification.inputSchema);
  return { ...entryFacts(definition, specification, isPlain), isCacheMarked: isCachePoint(definition) };
}

const OTHER_KINDS = ['systemTool', 'cachePoint'];

/** Reads the visible history once, in order. */
function readHistory(messages: readonly unknown[]): HistoryFacts {
  const turns: VisibleTurn[] = [];
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  for (const [position, message] of messages.entries()) {
    const role = isJsonObject(message) ? message.role : undefined;
    const blocks = readBlocks(message);
    if (role === 'assistant') {
      const calls = blocks.flatMap((block) => toolUseOf(block) ?? []);
      turns.push({ position, callIds: calls.map(({ toolUseId }) => toolUseId) });
      for (const { toolUseId, name } of calls) names.call(name, toolUseId);
    } else if (role === 'user') {
      for (const block of blocks) names.resultOf(resultIdOf(block) ?? '');
      userTexts.push(readText(message));
    }
  }
  return { turns, ...names.factsWith(userTexts) };
}

/** Returns the content blocks of a message; elements that are not blocks are left out. */
export function readBlocks(message: unknown): readonly JsonObject[] {
  const content = isJsonObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** A call for the client. */
export interface ToolUse extends JsonObject {
  readonly toolUseId: string;
  readonly name: string;
}

/**
 * Returns the call in a block; undefined when there is none. Calls that the provider runs itself do not
 * count.
 */
export function toolUseOf({ toolUse }: JsonObject): ToolUse | undefined {
  if (!isJsonObject(toolUse) || toolUse.type === 'server_tool_use') return undefined;
  const { toolUseId, name } = toolUse;
  return typeof toolUseId === 'string' && typeof name === 'string' ? (toolUse as ToolUse) : undefined;
}

/** Returns the id of the call that a result block answers; undefined for any other block. */
function resultIdOf({ toolResult }: JsonObject): string | undefined {
  const id = isJsonObject(toolResult) ? toolResult.toolUseId : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Whether a block is thinking. */
export function isReasoning(block: JsonObject): boolean {
  return isJsonObject(block.reasoningContent);
}

/** Returns the signature of a thinking block, or its redacted content; undefined for any other block. */
export function signatureOf({ reasoningContent: reasoning }: JsonObject): string | undefined {
  if (!isJsonObject(reasoning)) return undefined;
  const { reasoningText: text, redactedContent: redacted } = reasoning;
  const signature = isJsonObject(text) ? text.signature : redacted;
  return typeof signature === 'string' && signature !== '' ? signature : undefined;
}

/** Returns the text blocks of a message, joined by line feeds; empty when there are none. */
function readText(message: unknown): string {
  return readBlocks(message)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}
