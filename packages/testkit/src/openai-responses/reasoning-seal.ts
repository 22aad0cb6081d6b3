import { createHmac } from 'node:crypto';
import { parseJson } from '@winnow/core';
import { canonicalJson } from '../upstream/canonical-json.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** The content that reasoning was encrypted with. */
export interface ReasoningSeal {
  readonly id: string;
  readonly model: string;
  readonly tenant: string;
  /** The item that it led to: its id, and the id of its call. Empty if there is none. */
  readonly next: string;
  readonly nextCall: string;
  /** A hash of instructions, tools and the items before. */
  readonly prefix: string;
}

// Readers of this source can forge a seal; its only purpose is to detect changes.
const KEY = 'winnow testkit';

/** Seals reasoning. `copy` distinguishes the copies of one item, whose encrypted content always differs. */
export function sealReasoning(seal: ReasoningSeal, copy: 'added' | 'done' | 'completed'): string {
  const text = Buffer.from(JSON.stringify({ ...seal, copy })).toString('base64url');
  return `gAAAA.${text}.${sign(text)}`;
}

/**
 * Returns the sealed content; undefined for anything else, and for the copy at the start of an item.
 */
export function openReasoning(value: unknown): ReasoningSeal | undefined {
  const [head, text = '', signature] = String(value).split('.');
  if (head !== 'gAAAA' || signature !== sign(text)) return undefined;
  const seal = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!isJsonObject(seal) || seal.copy === 'added') return undefined;
  return seal as unknown as ReasoningSeal;
}

/**
 * Returns a hash of the items before an item. Encrypted content differs between copies, so it is left out.
 */
export function hashPrefix(body: JsonObject, before: readonly JsonObject[]): string {
  const items = before.map(({ encrypted_content, status, id, ...item }) => item);
  return sign(
    canonicalJson({ instructions: body.instructions ?? null, tools: objectsOf(body.tools), items }),
  );
}

function sign(text: string): string {
  return createHmac('sha256', KEY).update(text).digest('base64url').slice(0, 32);
}
