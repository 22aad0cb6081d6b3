import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';

const CONTENTS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'document', 'video']);
const OF_CLIENT: ReadonlySet<unknown> = new Set(['user_input', 'function_result']);

/** Whether an element of the input is a content and not a step. */
export function isContent({ type }: JsonObject): boolean {
  return CONTENTS.has(type);
}

/** Whether the model made a step. */
export function isOfModel({ type }: JsonObject): boolean {
  return !OF_CLIENT.has(type);
}

/** Returns an input as steps; strings and contents are the user's input. Undefined for an invalid input. */
export function stepsOf(input: unknown): JsonObject[] | undefined {
  if (typeof input === 'string') return [{ type: 'user_input', content: [{ type: 'text', text: input }] }];
  if (isJsonObject(input)) return isContent(input) ? [{ type: 'user_input', content: [input] }] : undefined;
  if (!Array.isArray(input)) return undefined;
  const elements = objectsOf(input);
  return elements.length > 0 && elements.every(isContent)
    ? [{ type: 'user_input', content: elements }]
    : elements;
}

/** Returns the function results in a step: the step itself, or contents of the user's input. */
export function resultsIn(step: JsonObject): JsonObject[] {
  if (step.type === 'function_result') return [step];
  return objectsOf(step.content).filter(
    ({ type }) => step.type === 'user_input' && type === 'function_result',
  );
}

/** Whether a step contains input of the user. */
export function isSpoken(step: JsonObject): boolean {
  return step.type === 'user_input' && resultsIn(step).length < objectsOf(step.content).length;
}

/** Adjacent steps of one side, model or client. */
export interface Run {
  readonly isOfModel: boolean;
  readonly steps: readonly JsonObject[];
  /** All steps before the run. */
  readonly before: readonly JsonObject[];
}

/** Returns the runs of an input, in order. */
export function runsOf(steps: readonly JsonObject[]): Run[] {
  const runs: { isOfModel: boolean; steps: JsonObject[]; before: JsonObject[] }[] = [];
  for (const [at, step] of steps.entries()) {
    const last = runs.at(-1);
    if (last?.isOfModel === isOfModel(step)) last.steps.push(step);
    else runs.push({ isOfModel: isOfModel(step), steps: [step], before: steps.slice(0, at) });
  }
  return runs;
}
