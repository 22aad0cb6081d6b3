import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { callOf, signatureOf } from './read-contents.ts';

/**
 * What a turn says, equal for all the ways in which clients send back what they were sent.
 *
 * Thoughts do not count, which many clients leave out, nor do signatures, ids of calls, white space, or how texts are divided among parts and
 * parts among contents. Everything else counts: what the client changed on purpose must not be undone. Empty when the turn says nothing.
 */
export function visibleForm(parts: readonly JsonObject[]): string {
  const said: string[] = [];
  let text = '';
  for (const part of parts) {
    if (part.thought === true) continue;
    if (typeof part.text === 'string' && callOf(part) === undefined) {
      text += part.text.replaceAll(/\s+/g, '');
      continue;
    }
    if (text !== '') said.push(JSON.stringify(text));
    text = '';
    said.push(JSON.stringify(normalise(meaningOf(part))));
  }
  if (text !== '') said.push(JSON.stringify(text));
  return said.join();
}

function meaningOf(part: JsonObject): unknown {
  const call = callOf(part);
  return call === undefined ? part : ['call', call.name, call.args ?? {}];
}

const UNCOUNTED: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);

/** Members in the order of their names, since some clients sort them. */
function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalise);
  if (!isJsonObject(value)) return value;
  return Object.entries(value)
    .filter(([key, member]) => member !== null && !UNCOUNTED.has(key))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, member]) => [key, normalise(member)]);
}

/** What signs the parts of a turn. */
export function signaturesOf(parts: readonly JsonObject[]): string[] {
  return parts.flatMap((part) => signatureOf(part) ?? []);
}
