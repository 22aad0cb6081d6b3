import { createHmac } from 'node:crypto';
import { canonicalJson } from '../upstream/canonical-json.ts';
import { type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** The placeholder that the service accepts for a lost signature. */
export const ANY_SIGNATURE = 'skip_thought_signature_validator';

// Readers of this source can forge a signature; its only purpose is to detect changes.
const KEY = 'winnow testkit';

/** Signs a thought for its position: the call that it led to, if any, and all steps before its run. */
export function signThought(call: JsonObject | undefined, before: readonly JsonObject[]): string {
  return `${hash(call && [call.id, call.name, call.arguments])}.${hash(said(before))}`;
}

/**
 * Returns the fault of a thought's signature: it led to another call, or other steps precede it. Undefined if
 * it is valid.
 */
export function findSealFault(
  signature: string,
  call: JsonObject,
  before: readonly JsonObject[],
): 'call' | 'history' | undefined {
  if (signature === ANY_SIGNATURE) return undefined;
  const [part, history] = signThought(call, before).split('.');
  const [foundPart, foundHistory] = signature.split('.');
  if (foundPart !== part) return 'call';
  return foundHistory === history ? undefined : 'history';
}

/**
 * Ignores what clients may change: the number of pieces of a text, thoughts, and whether a result is a step
 * of its own.
 */
function said(steps: readonly JsonObject[]): unknown[] {
  const all: unknown[] = [];
  for (const { type, content, signature, ...rest } of steps) {
    if (type === 'thought') continue;
    for (const part of content === undefined ? [{ type, ...rest }] : objectsOf(content)) {
      const last = all.at(-1);
      if (part.type === 'text' && typeof last === 'string') all[all.length - 1] = last + part.text;
      else all.push(part.type === 'text' ? part.text : part);
    }
  }
  return all;
}

function hash(value: unknown): string {
  return createHmac('sha256', KEY)
    .update(canonicalJson(value ?? null))
    .digest('base64url')
    .slice(0, 40);
}
