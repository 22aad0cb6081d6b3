import { saysNothing } from '../joining/envelope-state.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { isJsonObject } from '../json/json-splice.ts';

/** Whether the client sees content in an event between start and end. An unknown event may show anything. */
export function shows({ type, body: { step, delta } }: ReadEvent): boolean {
  if (type === 'step.stop') return false;
  if (type === 'step.start' && isJsonObject(step)) return !saysNothing(step, QUIET);
  if (type !== 'step.delta' || !isJsonObject(delta)) return true;
  if (delta.type === 'thought_signature') return false;
  return delta.type !== 'text' || delta.text !== '';
}

/** Types of steps without content at their start: outputs, and thoughts that the client does not see. */
const QUIET: ReadonlySet<unknown> = new Set(['model_output', 'thought']);
