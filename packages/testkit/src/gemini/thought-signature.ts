import { createHmac } from 'node:crypto';
import { canonicalJson } from '../upstream/canonical-json.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { comparablePart, type NormalTurn } from './normal-turns.ts';

/** What is taken in place of a signature that was lost. Source: https://ai.google.dev/gemini-api/docs/thought-signatures */
export const ANY_SIGNATURE = 'skip_thought_signature_validator';

/** What is wrong with the signature of a call: it is another part's, or the turns before it are not those before which it was made. */
export type SignatureFault = 'part' | 'history';

// Whoever reads this source can forge a signature; it only has to notice changes.
const KEY = 'winnow testkit';

/** Ours are short; the provider's have hundreds of characters. */
const LONGEST_OWN = 100;

/** Signs a call for its place: its name and arguments, and all turns before its own. */
export function signCall(call: JsonObject, before: readonly NormalTurn[]): string {
  return [hash(['call', call.name, call.args ?? {}]), hash(before.map(comparableTurn))].join('.');
}

/** Signs a text, of which nobody asks for the signature again. */
export function signText(text: string): string {
  return hash(['text', text]);
}

/** What is wrong with the signature of a call, undefined when nothing is. Real ones are taken as they are: LangChain has one for every call that lacks its own. */
export function findSignatureFault(
  call: JsonObject,
  signature: string,
  before: readonly NormalTurn[],
): SignatureFault | undefined {
  if (signature === ANY_SIGNATURE || signature.length > LONGEST_OWN) return undefined;
  const [part, history] = signCall(call, before).split('.');
  const [foundPart, foundHistory] = signature.split('.');
  if (foundPart !== part) return 'part';
  return foundHistory === history ? undefined : 'history';
}

/** Texts come in pieces, whose number is nobody's concern. */
function comparableTurn({ role, parts }: NormalTurn): unknown {
  const said: unknown[] = [];
  let text = '';
  for (const part of parts.map(comparablePart)) {
    if (part === undefined) continue;
    if (typeof (part as JsonObject).text === 'string') {
      text += (part as { text: string }).text;
      continue;
    }
    if (text !== '') said.push(text);
    text = '';
    said.push(part);
  }
  return { role, said: text === '' ? said : [...said, text] };
}

function hash(value: unknown): string {
  return createHmac('sha256', KEY).update(canonicalJson(value)).digest('base64url').slice(0, 40);
}
