import { type BypassReason, decodePercent, elementsOf, memberSpan, type Span } from '@winnow/core';
import type { Route } from '../format/request-parts.ts';
import type { Purpose, ToolChoice, ToolEntry, ToolList, ToolSection, VisibleTurn } from '../format/view.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import { commonBypass, createRequestReader } from '../request/create-request-reader.ts';
import { type BodyLayout, createBodyReader, type RequestBody } from '../request/read-body.ts';
import { NamesInHistory, type Opening, readOpening } from '../request/read-history.ts';
import { type EntryFacts, entryFacts, readEntries } from '../request/tool-entries.ts';

const LAYOUT: BodyLayout = { history: 'contents', tools: 'tools', readTools };
const readBody = createBodyReader(LAYOUT);
/** A request for a token count may contain the whole request as a member. */
const readWrapped = createBodyReader({ ...LAYOUT, within: ['generateContentRequest'] });

/** Reads the parts of a request that Winnow uses. */
export const readRequest = createRequestReader(
  (bytes, options) => {
    const plain = readBody(bytes, options);
    return plain.ok || options.purpose === 'answer' ? plain : readWrapped(bytes, options);
  },
  (request, { searchToolName, path }) => {
    const target = readTarget(path);
    const users = request.history.filter((content) => isJsonObject(content) && !isOfModel(content));
    return {
      model: textOrNone(target?.model),
      isStream: target?.isStream ?? false,
      toolChoice: readToolChoice(request.body),
      ...readNames(request).factsWith(users.map(contentText)),
      ...openingOf(request),
      turns: readTurns(request.history),
      bypass: findBypass(request, searchToolName),
    };
  },
);

/** Returns the names of the functions that the history calls, and of those whose results it has. */
function readNames({ history }: RequestBody): NamesInHistory {
  const names = new NamesInHistory();
  for (const part of history.flatMap(partsOf)) {
    names.call(textOrNone(callOf(part)?.name) ?? '');
    names.result(textOrNone(responseOf(part)?.name));
  }
  return names;
}

/** Rewrites the conversation as messages, which `readOpening` understands. */
function openingOf({ body, history }: RequestBody): Opening {
  const instruction = fieldOf(body, 'systemInstruction');
  const system = isJsonObject(instruction) ? instruction.parts : instruction;
  const messages = history.filter(isJsonObject).map((content) => ({
    role: isOfModel(content) ? 'assistant' : 'user',
    content,
  }));
  return readOpening({ body: { system }, history: messages, readText: contentText });
}

/**
 * Returns the turns of a history. Adjacent contents of the model are one turn: some clients keep each piece
 * of a stream as a separate content.
 */
function readTurns(history: readonly unknown[]): VisibleTurn[] {
  return history.flatMap((content, position) => {
    if (!isOfModel(content) || isOfModel(history[position - 1])) return [];
    const parts = partsOfTurn(history, position);
    return [{ position, callIds: callsOf(parts).map(({ key }) => key) }];
  });
}

/** Returns the parts of the turn that begins at a position. */
export function partsOfTurn(history: readonly unknown[], position: number): JsonObject[] {
  return history.slice(position, endOfTurn(history, position)).flatMap(partsOf);
}

/** Returns the position after the last content of the turn that begins at a position. */
export function endOfTurn(history: readonly unknown[], position: number): number {
  let end = position;
  while (isOfModel(history[end])) end += 1;
  return end;
}

/**
 * Returns the reason why a request must be left alone.
 *
 * Cached content cannot be changed and includes the tools. If the last content is the model's, the model
 * continues it, and no search could be appended to the result.
 */
function findBypass(
  { body, history, toolSection }: RequestBody,
  searchToolName: string,
): BypassReason | undefined {
  const config = fieldOf(body, 'generationConfig');
  const count = isJsonObject(config) ? fieldOf(config, 'candidateCount') : undefined;
  if (fieldOf(body, 'cachedContent') !== undefined) return 'cached_content';
  if (typeof count === 'number' && count > 1) return 'several_choices';
  if (fieldOf(body, 'continuationToken') !== undefined) return 'continued_thread';
  return commonBypass(toolSection, searchToolName, isOfModel(history.at(-1)));
}

/** The facts in the path of a request: the body has neither the model nor a stream flag. */
export interface RequestTarget {
  readonly purpose: Purpose;
  readonly isStream: boolean;
  /** The last part of the resource's name, such as `gemini-3-pro-preview`. */
  readonly model: string;
}

/**
 * Returns the method and model of a path; undefined for another method of the API. Matches
 * `…/models/{model}:generateContent` under any prefix, and the same for tuned models and Vertex endpoints.
 * The colon may be escaped.
 *
 * Source: https://ai.google.dev/api/generate-content
 */
function readTarget(path: string): RequestTarget | undefined {
  const [, model = '', method = ''] = TARGET.exec(path) ?? [];
  const asked = METHODS.get(method);
  return asked && { ...asked, model: decodePercent(model) };
}

const TARGET = /\/(?:models|tunedModels|endpoints)\/([^/]+?)(?::|%3a)([A-Za-z]+)\/?$/i;

/**
 * The routes `POST …/models/{model}:generateContent`, `:streamGenerateContent` and `:countTokens`, under any
 * prefix.
 */
export const ROUTES: readonly Route[] = [
  [methodsOf('generateContent|streamGenerateContent'), 'answer'],
  [methodsOf('countTokens'), 'count_tokens'],
];

/** Not a literal: Node before 23 cannot parse its modifier, and would report that instead of its own age. */
function methodsOf(names: string): RegExp {
  return new RegExp(`/(?i:models|tunedModels|endpoints)/[^/]+?(?::|%3[aA])(?:${names})/?$`);
}

const METHODS: ReadonlyMap<string, Omit<RequestTarget, 'model'>> = new Map([
  ['generateContent', { purpose: 'answer', isStream: false }],
  ['streamGenerateContent', { purpose: 'answer', isStream: true }],
  ['countTokens', { purpose: 'count_tokens', isStream: false }],
]);

/**
 * Reads the value of `tools`: a list of containers, each of which may hold a list of functions and tools that
 * the provider runs itself. Only the functions are entries.
 */
function readTools(value: unknown, text: string): ToolSection {
  const lists: ToolList[] = [];
  const entries: ToolEntry[] = [];
  const containers = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const spans = Array.isArray(value) ? elementsOf(text, 0) : [];
  for (const [index, container] of containers.entries()) {
    if (!isJsonObject(container)) continue;
    for (const { key, span } of declarationsIn(text, spans[index]!)) {
      const declarations = container[key];
      if (!Array.isArray(declarations)) continue;
      const list = { span, path: [index, key] };
      lists.push(list);
      entries.push(...readEntries(text, list, declarations, readDeclaration));
    }
  }
  return { text, value, lists, entries };
}

const DECLARATION_KEYS = ['functionDeclarations', 'function_declarations'];

/** Returns the lists of functions in a container, in the order of the text. */
function declarationsIn(text: string, { start }: Span): { readonly key: string; readonly span: Span }[] {
  return DECLARATION_KEYS.flatMap((key) => {
    const span = memberSpan(text, start, key);
    return span === undefined ? [] : [{ key, span }];
  }).sort((left, right) => left.span.start - right.span.start);
}

/** Reads a declaration. A function with a `behavior` may be answered later, so it is never deferred. */
function readDeclaration(definition: unknown): EntryFacts {
  return entryFacts(definition, definition, isJsonObject(definition) && definition.behavior === undefined);
}

/** Reads the client's `toolConfig`. `VALIDATED` lets the model call nothing, like `AUTO`. */
function readToolChoice(body: JsonObject): ToolChoice {
  const toolConfig = fieldOf(body, 'toolConfig');
  const config = isJsonObject(toolConfig) ? fieldOf(toolConfig, 'functionCallingConfig') : undefined;
  if (!isJsonObject(config)) return { mode: 'auto', names: [] };
  const allowed = fieldOf(config, 'allowedFunctionNames');
  const names = Array.isArray(allowed) ? allowed.flatMap((name) => textOrNone(name) ?? []) : [];
  return { mode: MODES.get(String(config.mode).toUpperCase()) ?? 'auto', names };
}

const MODES: ReadonlyMap<string, ToolChoice['mode']> = new Map([
  ['ANY', 'required'],
  ['NONE', 'none'],
]);

/** Returns the parts of a content. */
export function partsOf(content: unknown): JsonObject[] {
  return isJsonObject(content) ? objectsIn(content.parts) : [];
}

/** Whether a content is the model's. */
export function isOfModel(content: unknown): boolean {
  return isJsonObject(content) && content.role === 'model';
}

/** Returns the call in a part; undefined when there is none. */
export function callOf(part: JsonObject): JsonObject | undefined {
  const call = fieldOf(part, 'functionCall');
  return isJsonObject(call) ? call : undefined;
}

/** Returns the result in a part; undefined when there is none. */
export function responseOf(part: JsonObject): JsonObject | undefined {
  const response = fieldOf(part, 'functionResponse');
  return isJsonObject(response) ? response : undefined;
}

/** Returns the signature of a part; undefined when there is none. */
export function signatureOf(part: JsonObject): string | undefined {
  return textOrNone(fieldOf(part, 'thoughtSignature'));
}

/** Returns the text of a content as people read it, without thoughts. */
function contentText(content: unknown): string {
  const texts = partsOf(content).flatMap(({ text, thought }) =>
    typeof text === 'string' && thought !== true ? [text] : [],
  );
  return texts.join('');
}

/** A call and its key within the turn. */
export interface TurnCall {
  /** The call's own id, or one made of its name and its position, which never leaves Winnow. */
  readonly key: string;
  readonly call: JsonObject;
}

/**
 * Returns the calls of a turn, in order. Most servers give them no ids; their names and positions then
 * distinguish them.
 */
export function callsOf(parts: readonly JsonObject[]): TurnCall[] {
  const calls = parts.map(callOf).filter((call) => textOrNone(call?.name) !== undefined);
  return calls.map((call, ordinal) => ({ key: callKey(call!, ordinal), call: call! }));
}

/** Returns the key of a call within its turn. */
export function callKey({ id, name }: JsonObject, ordinal: number): string {
  return textOrNone(id) ?? `${name}#${ordinal}`;
}

/**
 * Returns the key of a member that clients write in camel case or snake case: the spelling that the object
 * has, or else camel case.
 */
export function keyOf(object: JsonObject, camelKey: string): string {
  if (camelKey in object) return camelKey;
  const snakeKey = snakeKeyOf(camelKey);
  return snakeKey in object ? snakeKey : camelKey;
}

/**
 * Returns the value of a member that clients write in camel case or snake case; protocol buffer servers read
 * both.
 */
export function fieldOf(object: JsonObject, camelKey: string): unknown {
  return object[keyOf(object, camelKey)];
}

/**
 * Snake-case keys by camel-case key, looked up for every part of a history. The keys come from the format, so
 * there are only a few dozen.
 */
const snakeKeys = new Map<string, string>();

function snakeKeyOf(camelKey: string): string {
  const known = snakeKeys.get(camelKey);
  if (known !== undefined) return known;
  const snakeKey = camelKey.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeKeys.set(camelKey, snakeKey);
  return snakeKey;
}
