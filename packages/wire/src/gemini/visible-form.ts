import type { JsonObject } from '../json/json-splice.ts';
import { writeForm } from '../turns/visible-form.ts';
import { callOf } from './read-contents.ts';

const UNCOUNTED: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);

/**
 * The normal form of a turn, equal for all the ways in which clients send back what they were sent.
 *
 * Thoughts do not count, which many clients leave out, nor do signatures, ids of calls, white space, or how texts are divided among parts and
 * parts among contents. Everything else counts: what the client changed on purpose must not be undone. Empty when the turn says nothing.
 */
export function visibleForm(parts: readonly JsonObject[]): string {
  return writeForm(parts.filter(({ thought }) => thought !== true).map(meaningOf), UNCOUNTED);
}

function meaningOf(part: JsonObject): string | object {
  const call = callOf(part);
  if (call !== undefined) return ['call', call.name, call.args ?? {}];
  return typeof part.text === 'string' ? part.text : part;
}
