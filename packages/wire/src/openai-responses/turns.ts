import type { RequestView, Turn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { rememberBy } from '../remember-by.ts';
import { rememberTurns } from '../turns/remember-turns.ts';
import { runsOf } from '../turns/runs.ts';
import { normalise } from '../turns/visible-form.ts';
import { callIdsOf } from './read-history.ts';
import { calledName, contentWords, isFunctionCall, isMessage, isOfModel, isReasoning } from './read-items.ts';
import { itemsIn } from './write-results.ts';

/** Returns the runs of model items in a history, computed once per request. */
export const runsIn = rememberBy(({ history }: RequestView) => runsOf(history, isOfModel));

/**
 * The turns of Responses: runs of items. A round keeps its items as a list. Clients may refer to stored items
 * instead of repeating them.
 */
export const turns = rememberTurns({
  format: 'openai-responses',
  shownIn: (rounds, { body }) => {
    const items = rounds.flatMap(({ turn }) => shownOf(turn));
    const visible = visibleItems(items);
    if (visible.length === 0) return undefined;
    return {
      callIds: callIdsOf(items),
      signatures: [],
      item: body.store === false ? undefined : visible[0]?.id,
      said: saidByModel(visible),
      visible: JSON.stringify(visible),
    };
  },
  saidIn: (view) => {
    const runAt = new Map(runsIn(view).map((run) => [run.start, run]));
    return (position) => {
      const run = runAt.get(position);
      return run === undefined ? saidByClient(view.history[position]) : saidByModel(visibleItems(run.items));
    };
  },
  marksAt: (view, index) => ({ item: referenceIn(runsIn(view)[index]!.items) }),
  fit: (view, index, hidden) => {
    const shown = JSON.parse(hidden.visible) as VisibleItem[];
    return readsAs(runsIn(view)[index]!.items, shown) ? hidden : undefined;
  },
});

function shownOf({ message, searches }: Turn): JsonObject[] {
  const searchIds = new Set<unknown>(searches.map(({ id }) => id));
  return itemsIn(message).filter(({ call_id: id }) => id === undefined || !searchIds.has(id));
}

/** Returns the id of a turn's first item if the client only refers to it. */
function referenceIn(items: readonly JsonObject[]): string | undefined {
  const first = items.find((item) => !isReasoning(item));
  return first?.type === 'item_reference' && typeof first.id === 'string' ? first.id : undefined;
}

function saidByModel(visible: readonly VisibleItem[]): string {
  return `assistant:${joinedForm(visible)}`;
}

const INSTRUCTING_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);

/**
 * Returns the text that identifies an item of the client's. Tool results count: conversations that differ
 * only in them are different. The first item of a run covers the others.
 */
function saidByClient(item: unknown): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const { role, content, type, call_id: callId, output } = item;
  if (isMessage(item)) {
    if (INSTRUCTING_ROLES.has(role) || role === 'assistant') return undefined;
    const other = Array.isArray(content)
      ? content.filter((part) => isJsonObject(part) && typeof part.text !== 'string')
      : [];
    return other.length === 0
      ? `${role}:${contentWords(content)}`
      : JSON.stringify([role, contentWords(content), other]);
  }
  if (!String(type).endsWith('_output')) return undefined;
  return `${type}:${callId}:${typeof output === 'string' ? output : JSON.stringify(output ?? null)}`;
}

/** One visible item: its id and its normal form. */
interface VisibleItem {
  readonly id: string | undefined;
  /** The text of a message without white space, or the identifying members of another item. */
  readonly form: string;
  readonly isText: boolean;
}

/** Returns the visible items, without reasoning, which many clients do not send back. */
function visibleItems(items: readonly JsonObject[]): VisibleItem[] {
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
function joinedForm(items: readonly VisibleItem[]): string {
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
function readsAs(run: readonly JsonObject[], shown: readonly VisibleItem[]): boolean {
  const byId = new Map(shown.map((item) => [item.id, item]));
  const visible = run
    .filter((item) => !isReasoning(item))
    .map((item) => (item.type === 'item_reference' ? byId.get(String(item.id)) : toVisible(item)));
  if (visible.some((item) => item === undefined)) return false;
  return joinedForm(visible as VisibleItem[]) === joinedForm(shown);
}
