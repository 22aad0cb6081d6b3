import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { isFunctionCall, isThought, objectsIn } from './read-steps.ts';

/**
 * What steps of the model say, equal for all the ways in which clients send back what they were sent.
 *
 * Thoughts do not count, which many clients leave out, nor do signatures, white space, annotations, or how texts are divided among contents and
 * contents among steps. Everything else counts: what the client changed on purpose must not be undone. Empty when they say nothing.
 */
export function visibleForm(steps: readonly JsonObject[]): string {
  const said: string[] = [];
  let text = '';
  const take = (meaning: unknown) => {
    if (text !== '') said.push(JSON.stringify(text));
    text = '';
    said.push(JSON.stringify(normalise(meaning)));
  };
  for (const step of steps) {
    if (isThought(step)) continue;
    if (step.type !== 'model_output') take(meaningOf(step));
    for (const content of step.type === 'model_output' ? objectsIn(step.content) : []) {
      if (typeof content.text === 'string') text += content.text.replaceAll(/\s+/g, '');
      else take(content);
    }
  }
  if (text !== '') said.push(JSON.stringify(text));
  return said.join();
}

function meaningOf(step: JsonObject): unknown {
  return isFunctionCall(step) ? ['call', step.id, step.name, step.arguments ?? {}] : step;
}

/** Members in the order of their names, since some clients sort them. */
function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalise);
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .filter(([key, member]) => member !== null && key !== 'signature')
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, normalise(member)]);
}
