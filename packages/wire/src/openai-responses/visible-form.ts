import type { JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { normalise } from '../turns/visible-form.ts';
import { calledName, contentWords, isFunctionCall, isMessage, isReasoning } from './read-items.ts';

/** One visible item: how it is referred to, and what it says. */
export interface VisibleItem {
  readonly id: string | undefined;
  /** What a message says without its white space, or all that counts of another item. */
  readonly form: string;
  readonly isText: boolean;
}

/** The visible items among these, reasoning apart: many clients do not send that back. */
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

/** What no client may change of an item without meaning it. Some write ids of their own; of what is encrypted no two copies are alike. */
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

/** What visible items say together: texts that follow each other are one, as some clients join them. Empty when they say nothing. */
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

/** Whether a run of the history reads as it was shown; what it only refers to is looked up by its id. */
export function readsAs(run: readonly JsonObject[], shown: readonly VisibleItem[]): boolean {
  const byId = new Map(shown.map((item) => [item.id, item]));
  const visible = run
    .filter((item) => !isReasoning(item))
    .map((item) => (item.type === 'item_reference' ? byId.get(String(item.id)) : toVisible(item)));
  if (visible.some((item) => item === undefined)) return false;
  return joinedForm(visible as VisibleItem[]) === joinedForm(shown);
}
