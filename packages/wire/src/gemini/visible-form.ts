import type { JsonObject } from '../json/json-splice.ts';
import { writeForm } from '../turns/visible-form.ts';
import { callOf } from './read-contents.ts';

const UNCOUNTED: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);

/**
 * Returns the normal form of a turn, which is the same for all the ways in which clients send it back.
 *
 * The form ignores thoughts, which many clients leave out, signatures, ids of calls, white space, and the
 * division of texts into parts and of parts into contents. Everything else counts, because a client's
 * deliberate changes must stay. Empty when the turn has no content.
 */
export function visibleForm(parts: readonly JsonObject[]): string {
  return writeForm(parts.filter(({ thought }) => thought !== true).map(meaningOf), UNCOUNTED);
}

function meaningOf(part: JsonObject): string | object {
  const call = callOf(part);
  if (call !== undefined) return ['call', call.name, call.args ?? {}];
  return typeof part.text === 'string' ? part.text : part;
}
