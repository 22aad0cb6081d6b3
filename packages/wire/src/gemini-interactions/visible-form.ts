import { type JsonObject, objectsIn } from '../json/json-splice.ts';
import { writeForm } from '../turns/visible-form.ts';
import { isFunctionCall, isThought } from './read-steps.ts';

const UNCOUNTED: ReadonlySet<string> = new Set(['signature']);

/**
 * Returns the normal form of the model's steps, which is the same for all the ways in which clients send them
 * back.
 *
 * The form ignores thoughts, which many clients leave out, signatures, white space, annotations, and the
 * division of texts into contents and of contents into steps. Everything else counts, because a client's
 * deliberate changes must stay. Empty when the steps have no content.
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
