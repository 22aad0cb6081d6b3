import { createHmac } from 'node:crypto';
import { parseJson } from '@winnow/text';
import { canonicalJson } from '../upstream/canonical-json.ts';
import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';

/** What reasoning was encrypted with. */
export interface ReasoningSeal {
  readonly id: string;
  readonly model: string;
  readonly tenant: string;
  /** The item that it led to: its id, and the id of its call. Empty where there is none. */
  readonly next: string;
  readonly nextCall: string;
  /** A hash of instructions, tools and the items before. */
  readonly prefix: string;
}

// Whoever reads this source can forge it; it only has to notice changes.
const KEY = 'winnow testkit';

/** Seals reasoning; `copy` tells the copies of one item apart, which are never alike. */
export function sealReasoning(seal: ReasoningSeal, copy: 'added' | 'done' | 'completed'): string {
  const text = Buffer.from(JSON.stringify({ ...seal, copy })).toString('base64url');
  return `gAAAA.${text}.${sign(text)}`;
}

/** What was sealed; undefined for anything else, and for what only stood at the start of an item. */
export function openReasoning(value: unknown): ReasoningSeal | undefined {
  const [head, text = '', signature] = String(value).split('.');
  if (head !== 'gAAAA' || signature !== sign(text)) return undefined;
  const seal = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!isJsonObject(seal) || seal.copy === 'added') return undefined;
  return seal as unknown as ReasoningSeal;
}

/** A hash of what stands in front of an item. What is encrypted differs between copies, so that it does not count. */
export function hashPrefix(body: JsonObject, before: readonly JsonObject[]): string {
  const items = before.map(({ encrypted_content, status, id, ...item }) => item);
  return sign(
    canonicalJson({ instructions: body.instructions ?? null, tools: objectsOf(body.tools), items }),
  );
}

function sign(text: string): string {
  return createHmac('sha256', KEY).update(text).digest('base64url').slice(0, 32);
}
