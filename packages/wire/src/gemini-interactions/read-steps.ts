import { isJsonObject, type JsonObject, objectsIn } from '../json/json-splice.ts';

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
