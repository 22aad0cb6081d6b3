import type { BypassReason } from '@winnow/core';
import type { ToolChoice, ToolEntry, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { createBodyReader, type RequestBody } from '../request/read-body.ts';
import { type HistoryFacts, NamesInHistory, type Opening, readOpening } from '../request/read-history.ts';
import { type EntryFacts, entryFacts, toolListReader } from '../request/tool-entries.ts';
import { visibleTurns } from '../turns/visible-form.ts';

const readBody = createBodyReader({
  history: 'input',
  readTextHistory: (text) => ({ type: 'user_input', content: [{ type: 'text', text }] }),
  // A request that continues an interaction by its token need not repeat the input.
  readOtherHistory: (input) => (input === undefined ? [] : isContent(input) ? [input] : undefined),
  tools: 'tools',
  readTools: toolListReader(readEntry),
});

/** Reads a request for an interaction with a model. */
export const readRequest = createRequestReader(readBody, (request, { searchToolName }) => ({
  model: textOrNone(request.body.model),
  isStream: request.body.stream === true,
  toolChoice: readToolChoice(request.body),
  ...readHistory(request.history),
  ...openingOf(request),
  bypass: findBypass(request, searchToolName),
}));

/** Rewrites the conversation as messages, which `readOpening` understands. */
function openingOf({ body, history }: RequestBody): Opening {
  const messages = history.flatMap((step) => {
    if (isOfModel(step)) return [{ role: 'assistant' }];
    return isSpoken(step) ? [{ role: 'user', content: step }] : [];
  });
  return readOpening({ body: { system: body.system_instruction }, history: messages, readText: wordsOf });
}

/**
 * Returns the reason why a request must be left alone.
 *
 * An agent has its own tools and calls them itself. Cached content cannot be changed and includes the tools.
 * A continued response was made with other tools. If the last step is the model's, the model continues it,
 * and no search could be appended to the result.
 */
function findBypass(
  { body, history, toolSection }: RequestBody,
  searchToolName: string,
): BypassReason | undefined {
  if (isGiven(body.agent) || isJsonObject(body.agent_config)) return 'agent';
  if (body.background === true) return 'background';
  if (isGiven(body.cached_content)) return 'cached_content';
  if (isGiven(body.continuation_token)) return 'continued_thread';
  if (toolSection && defersTools(toolSection)) return 'client_defers';
  return commonBypass(toolSection, searchToolName, isOfModel(history.at(-1)));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const defersTools = rememberBy(({ entries }: ToolSection) => entries.some(defersByItself));

function readEntry(definition: unknown): EntryFacts {
  const entry = isJsonObject(definition) ? definition : {};
  return entryFacts(definition, entry, entry.type === 'function' && entry.defer_loading !== true);
}

/**
 * Whether an entry shows that the client defers tools itself, as with other providers; this provider does not
 * support it.
 */
function defersByItself({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && definition.defer_loading === true;
}

/**
 * Reads the client's `generation_config.tool_choice`: a mode or the allowed names. `validated` lets the model
 * call nothing, like `auto`.
 */
function readToolChoice({ generation_config: config }: JsonObject): ToolChoice {
  const choice = isJsonObject(config) ? config.tool_choice : undefined;
  const allowed = isJsonObject(choice) ? choice.allowed_tools : undefined;
  if (!isJsonObject(allowed)) return { mode: modeOf(choice), names: [] };
  const names = Array.isArray(allowed.tools)
    ? allowed.tools.flatMap((name: unknown) => textOrNone(name) ?? [])
    : [];
  return { mode: modeOf(allowed.mode), names };
}

function modeOf(word: unknown): ToolChoice['mode'] {
  return MODES.get(String(word).toLowerCase()) ?? 'auto';
}

const MODES: ReadonlyMap<string, ToolChoice['mode']> = new Map([
  ['any', 'required'],
  ['none', 'none'],
]);

/** Reads the visible history once, in order. */
function readHistory(steps: readonly unknown[]): HistoryFacts {
  const names = new NamesInHistory();
  const userTexts: string[] = [];
  for (const step of steps) {
    if (isJsonObject(step) && isFunctionCall(step)) names.call(step.name, step.id);
    for (const { call_id: id, name } of resultsIn(step)) names.resultOf(id, textOrNone(name));
    if (isSpoken(step)) userTexts.push(wordsOf(step));
  }
  return { turns: visibleTurns(steps, isOfModel, callIdsOf), ...names.factsWith(userTexts) };
}

/** Returns the ids of the calls among these steps that the client has to answer, in order. */
export function callIdsOf(steps: readonly JsonObject[]): string[] {
  return steps.flatMap((step) => (isFunctionCall(step) ? (textOrNone(step.id) ?? []) : []));
}

/** Types of contents, the parts of user input and model output. */
const CONTENTS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'document', 'video']);

/** Whether an element of the input is a content. A list of contents equals one user step. */
export function isContent(element: unknown): boolean {
  return isJsonObject(element) && CONTENTS.has(element.type);
}

/** Types of steps that the client writes, in addition to contents. */
const OF_CLIENT: ReadonlySet<unknown> = new Set(['user_input', 'function_result']);

/** Whether an element of the input is a step made by the model, or by a tool that the provider runs. */
export function isOfModel(element: unknown): boolean {
  if (!isJsonObject(element) || typeof element.type !== 'string') return false;
  return !OF_CLIENT.has(element.type) && !CONTENTS.has(element.type);
}

/** A call of one of the client's functions. */
export interface FunctionCall extends JsonObject {
  readonly name: string;
}

/** Whether a step calls one of the client's functions. */
export function isFunctionCall(step: JsonObject): step is FunctionCall {
  return step.type === 'function_call' && typeof step.name === 'string';
}

/** Whether a step is a thought, which may consist only of a signature. */
export function isThought({ type }: JsonObject): boolean {
  return type === 'thought';
}

/**
 * Returns the function results in an element of the input: the element itself, or, as the AI SDK writes them,
 * contents of a user step.
 */
export function resultsIn(element: unknown): JsonObject[] {
  if (!isJsonObject(element)) return [];
  if (element.type === 'function_result') return [element];
  return element.type === 'user_input' ? objectsIn(element.content).filter(isResult) : [];
}

function isResult({ type }: JsonObject): boolean {
  return type === 'function_result';
}

/** Whether an element of the input is the user's and holds anything other than results. */
export function isSpoken(element: unknown): boolean {
  if (isContent(element)) return true;
  return (
    isJsonObject(element) && element.type === 'user_input' && !objectsIn(element.content).every(isResult)
  );
}

/**
 * Returns the text of an element of the input, or of a step: its own, or that of its contents. Empty when
 * there is none.
 */
export function wordsOf(element: unknown): string {
  if (!isJsonObject(element)) return '';
  if (element.type === 'text') return typeof element.text === 'string' ? element.text : '';
  return objectsIn(element.content)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('');
}
