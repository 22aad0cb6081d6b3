import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import type { ProviderRules } from '../upstream/provider-rules.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { hashPrefix, openReasoning } from './reasoning-seal.ts';
import { TENANT } from './write-responses.ts';

/**
 * Finds faults of reasoning: wrong encrypted content, or an item that does not directly precede the one that
 * it led to.
 */
export function* findReasoningFaults(body: JsonObject, rules: ProviderRules): Generator<Rejection> {
  const items = objectsOf(body.input);
  for (const [at, item] of items.entries()) {
    if (item.type === 'reasoning') yield* findOne(body, items, at, rules);
    else yield* findMissing(items, at);
  }
}

function* findOne(
  body: JsonObject,
  items: readonly JsonObject[],
  at: number,
  { bindsReasoning, refusesUnstoredIds }: ProviderRules,
): Generator<Rejection> {
  const item = items[at]!;
  if (refusesUnstoredIds && body.store === false && item.id !== undefined) yield unstored(item);
  const seal = openReasoning(item.encrypted_content);
  if (seal === undefined || seal.tenant !== String(body[TENANT] ?? '') || seal.model !== body.model) {
    yield invalid(item);
    return;
  }
  const next = items[at + 1];
  const isNext =
    next !== undefined &&
    (next.id === seal.next ||
      (next.id === undefined && (next.call_id ?? '') === seal.nextCall && next.type !== 'reasoning'));
  if (!isNext && seal.next !== '') {
    const fault = 'was provided without its required following item.';
    yield badRequest(`Item '${item.id ?? seal.id}' of type 'reasoning' ${fault}`, { param: 'input' });
  }
  if (bindsReasoning === 'refuse' && seal.prefix !== hashPrefix(body, items.slice(0, at)))
    yield invalid(item);
}

/** The id of an item tells whether reasoning led to it. */
function* findMissing(items: readonly JsonObject[], at: number): Generator<Rejection> {
  const { id, type } = items[at]!;
  if (!/^(?:fc|msg|tsc)_t/.test(String(id)) || items[at - 1]?.type === 'reasoning') return;
  const fault = "was provided without its required 'reasoning' item.";
  yield badRequest(`Item '${id}' of type '${type}' ${fault}`, { param: 'input' });
}

/** Source: https://github.com/maximhq/bifrost/issues/5410. */
function unstored({ id }: JsonObject): Rejection {
  const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  return badRequest(message, { param: 'input' });
}

function invalid({ id }: JsonObject): Rejection {
  const message = `The encrypted content for item ${id} could not be verified.`;
  return badRequest(message, { code: 'invalid_encrypted_content', param: 'input' });
}

/** Returns the reasoning that does not fit the items before it, which a response reports as withheld. */
export function withheldReasoning(body: JsonObject): JsonObject[] {
  const items = objectsOf(body.input);
  return items.flatMap((item, at) => {
    const seal = item.type === 'reasoning' ? openReasoning(item.encrypted_content) : undefined;
    if (seal === undefined || seal.prefix === hashPrefix(body, items.slice(0, at))) return [];
    return [{ type: 'reasoning', id: item.id ?? seal.id, action: 'removed', reason: 'prefix_mismatch' }];
  });
}
