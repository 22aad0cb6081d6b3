import { isJsonObject, type JsonObject } from '../json/json-splice.ts';

/** The objects in a list; nothing for what is no list. */
export function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** A string that says something; undefined for anything else, the empty string included. */
export function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Types of contents: what people say and what models put out is made of them. */
const CONTENTS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'document', 'video']);

/** Whether an element of the input is a content: such a list says as a whole what one step of the user's would. */
export function isContent(element: unknown): boolean {
  return isJsonObject(element) && CONTENTS.has(element.type);
}

/** Steps that the client writes, contents apart. */
const OF_CLIENT: ReadonlySet<unknown> = new Set(['user_input', 'function_result']);

/** Whether an element of the input is a step that the model, or a tool that the provider runs, has made. */
export function isOfModel(element: unknown): boolean {
  if (!isJsonObject(element) || typeof element.type !== 'string') return false;
  return !OF_CLIENT.has(element.type) && !CONTENTS.has(element.type);
}

/** A call of one of the client's functions. */
export interface FunctionCall extends JsonObject {
  readonly name: string;
}

/** True for a step that calls one of the client's functions. */
export function isFunctionCall(step: JsonObject): step is FunctionCall {
  return step.type === 'function_call' && typeof step.name === 'string';
}

/** Whether a step is a thought, which may be nothing but a signature. */
export function isThought({ type }: JsonObject): boolean {
  return type === 'thought';
}

/** The results of functions in an element of the input: the element itself, or, as the AI SDK writes them, within a step of the user's. */
export function resultsIn(element: unknown): JsonObject[] {
  if (!isJsonObject(element)) return [];
  if (element.type === 'function_result') return [element];
  return element.type === 'user_input' ? objectsIn(element.content).filter(isResult) : [];
}

function isResult({ type }: JsonObject): boolean {
  return type === 'function_result';
}

/** Whether an element of the input holds words of the user's, or anything else but results. */
export function isSpoken(element: unknown): boolean {
  if (isContent(element)) return true;
  return (
    isJsonObject(element) && element.type === 'user_input' && !objectsIn(element.content).every(isResult)
  );
}

/** The words of an element of the input, or of a step: its own, or those of its contents. Empty when there are none. */
export function wordsOf(element: unknown): string {
  if (!isJsonObject(element)) return '';
  if (element.type === 'text') return typeof element.text === 'string' ? element.text : '';
  return objectsIn(element.content)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('');
}
