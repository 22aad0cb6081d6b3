import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import type { StepEvent } from './step-events.ts';

/** Whether the client sees anything of an event that is no start or end of an interaction. An event that nobody knows may show anything. */
export function shows({ type, body: { step, delta } }: StepEvent): boolean {
  if (type === 'step.stop') return false;
  if (type === 'step.start' && isJsonObject(step)) return !isQuiet(step);
  if (type !== 'step.delta' || !isJsonObject(delta)) return true;
  if (delta.type === 'thought_signature') return false;
  return delta.type !== 'text' || delta.text !== '';
}

/** Steps whose words follow: the start of an output, and a thought of which the client sees nothing. */
function isQuiet({ type, content, summary }: JsonObject): boolean {
  return (type === 'model_output' || type === 'thought') && isEmpty(content) && isEmpty(summary);
}

function isEmpty(list: unknown): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.length === 0);
}
