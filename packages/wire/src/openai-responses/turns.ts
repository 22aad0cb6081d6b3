import type { RequestView, Turn } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { rememberTurns } from '../turns/remember-turns.ts';
import { runsOf } from '../turns/runs.ts';
import { callIdsOf } from './read-history.ts';
import { contentWords, isMessage, isOfModel, isReasoning } from './read-items.ts';
import { joinedForm, readsAs, type VisibleItem, visibleItems } from './visible-form.ts';
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
