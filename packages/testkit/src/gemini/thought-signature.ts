import { createHmac } from 'node:crypto';
import { canonicalJson } from '../upstream/canonical-json.ts';
import type { JsonObject } from '../upstream/json-object.ts';
import { comparablePart, type NormalTurn } from './normal-turns.ts';

/**
 * The placeholder that the service accepts for a lost signature. Source:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const ANY_SIGNATURE = 'skip_thought_signature_validator';

/**
 * The fault of a call's signature: it belongs to another part, or the turns before it differ from those at
 * signing.
 */
export type SignatureFault = 'part' | 'history';

// Readers of this source can forge a signature; its only purpose is to detect changes.
const KEY = 'winnow testkit';

/** A multiple of four, so that hashes need no padding. */
const HASH_CHARS = 40;

/** The testkit's signatures are short; the provider's have hundreds of characters. */
const LONGEST_OWN = 100;

/**
 * Signs a call for its position: its name, its arguments, and all turns before its own. Two hashes in a row are
 * base64, which Google's library for Python insists on.
 */
export function signCall(call: JsonObject, before: readonly NormalTurn[]): string {
  return hash(['call', call.name, call.args ?? {}]) + hash(before.map(comparableTurn));
}

/** Signs a text. The provider never asks for this signature again. */
export function signText(text: string): string {
  return hash(['text', text]);
}

/**
 * Returns the fault of a call's signature, undefined if it is valid. Real signatures are accepted unchecked:
 * LangChain adds one to every call that lacks its own.
 */
export function findSignatureFault(
  call: JsonObject,
  signature: string,
  before: readonly NormalTurn[],
): SignatureFault | undefined {
  if (signature === ANY_SIGNATURE || signature.length > LONGEST_OWN) return undefined;
  const own = signCall(call, before);
  if (signature.slice(0, HASH_CHARS) !== own.slice(0, HASH_CHARS)) return 'part';
  return signature === own ? undefined : 'history';
}

/** Merges texts, because clients may change the number of pieces. */
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
  return createHmac('sha256', KEY).update(canonicalJson(value)).digest('base64url').slice(0, HASH_CHARS);
}
