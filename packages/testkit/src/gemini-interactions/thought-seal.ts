import { createHmac } from 'node:crypto';
import { canonicalJson } from '../upstream/canonical-json.ts';
import { type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** What is taken in place of a signature that was lost. */
export const ANY_SIGNATURE = 'skip_thought_signature_validator';

// Whoever reads this source can forge a signature; it only has to notice changes.
const KEY = 'winnow testkit';

/** Signs a thought for its place: the call that it led to, if it led to one, and all steps before its run. */
export function signThought(call: JsonObject | undefined, before: readonly JsonObject[]): string {
  return `${hash(call && [call.id, call.name, call.arguments])}.${hash(said(before))}`;
}

/** What is wrong with the signature of a thought: it led to another call, or other steps stand before it. Undefined when nothing is. */
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

/** Texts come in pieces, whose number is nobody's concern; thoughts may be left out; a result may stand in a step of its own or not. */
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
