import type { JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { normalise } from '../turns/visible-form.ts';
import { calledName, contentWords, isFunctionCall, isMessage, isReasoning } from './read-items.ts';

/** One visible item: its id and its normal form. */
export interface VisibleItem {
  readonly id: string | undefined;
  /** The text of a message without white space, or the identifying members of another item. */
  readonly form: string;
  readonly isText: boolean;
}

/** Returns the visible items, without reasoning, which many clients do not send back. */
export function visibleItems(items: readonly JsonObject[]): VisibleItem[] {
  return items.filter((item) => !isReasoning(item)).map(toVisible);
}

function toVisible(item: JsonObject): VisibleItem {
  const id = typeof item.id === 'string' ? item.id : undefined;
  if (isMessage(item)) {
    return { id, form: contentWords(item.content).replace(/\s+/g, ''), isText: true };
  }
  return { id, form: JSON.stringify(identityOf(item)), isText: false };
}

/**
 * Returns the members of an item that no client changes by accident. Ids may be the client's own, and
 * encryption makes every copy different.
 */
function identityOf(item: JsonObject): unknown {
  if (isFunctionCall(item)) {
    const given = item.arguments;
    const read = typeof given === 'string' ? (parseJson(given) ?? given) : given;
    return ['function_call', item.call_id, calledName(item), normalise(read)];
  }
  if (typeof item.call_id === 'string') return [item.type, item.call_id];
  const { id, status, encrypted_content, fingerprint, ...rest } = item;
  return item.type === 'item_reference' || Object.keys(rest).length <= 1 ? [item.type, id] : normalise(rest);
}

/**
 * Returns the normal form of visible items together. Adjacent texts are one, as some clients join them. Empty
 * when the items have no content.
 */
export function joinedForm(items: readonly VisibleItem[]): string {
  const parts: string[] = [];
  let text = '';
  for (const { form, isText } of items) {
    if (isText) {
      text += form;
      continue;
    }
    if (text !== '') parts.push(JSON.stringify(text));
    text = '';
    parts.push(form);
  }
  if (text !== '') parts.push(JSON.stringify(text));
  return parts.join();
}

/** Whether a run of the history is unchanged; references are looked up by id. */
export function readsAs(run: readonly JsonObject[], shown: readonly VisibleItem[]): boolean {
  const byId = new Map(shown.map((item) => [item.id, item]));
  const visible = run
    .filter((item) => !isReasoning(item))
    .map((item) => (item.type === 'item_reference' ? byId.get(String(item.id)) : toVisible(item)));
  if (visible.some((item) => item === undefined)) return false;
  return joinedForm(visible as VisibleItem[]) === joinedForm(shown);
}
