import type { JsonObject } from '../json/json-splice.ts';
import { writeForm } from '../turns/visible-form.ts';
import { isFunctionCall, isThought, objectsIn } from './read-steps.ts';

const UNCOUNTED: ReadonlySet<string> = new Set(['signature']);

/**
 * The normal form of the model's steps, equal for all the ways in which clients send back what they were sent.
 *
 * Thoughts do not count, which many clients leave out, nor do signatures, white space, annotations, or how texts are divided among contents and
 * contents among steps. Everything else counts: what the client changed on purpose must not be undone. Empty when they say nothing.
 */
export function visibleForm(steps: readonly JsonObject[]): string {
  return writeForm(steps.flatMap(meaningsOf), UNCOUNTED);
}

function meaningsOf(step: JsonObject): (string | object)[] {
  if (isThought(step)) return [];
  if (isFunctionCall(step)) return [['call', step.id, step.name, step.arguments ?? {}]];
  if (step.type !== 'model_output') return [step];
  return objectsIn(step.content).map((content) =>
    typeof content.text === 'string' ? content.text : content,
  );
}
