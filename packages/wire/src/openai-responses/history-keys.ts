import type { RequestView, TurnKeys } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type Conversation, keyOfOpening, keysOfNextTurn, keysOfTurns } from '../turns/turn-keys.ts';
import { callIdsOf, runsOf } from './read-history.ts';
import { contentWords, isMessage, isReasoning } from './read-items.ts';
import { joinedForm, type VisibleItem, visibleItems } from './visible-form.ts';

/** The keys of each visible turn. */
export function historyKeys(view: RequestView): TurnKeys[] {
  const runs = runsIn(view);
  return keysOfTurns(conversationOf(view)).map((keys, at) => withItemKey(keys, referenceIn(runs[at]!.items)));
}

/** The key of what was said before the first turn of the model. */
export function openingKey(view: RequestView): string {
  return keyOfOpening(conversationOf(view), view.turns[0]?.position ?? view.history.length);
}

/** The keys of these items, of which `visible` are seen, and which follow the history. What the provider stores, clients may refer to instead of writing it out. */
export function keysOfShown(
  view: RequestView,
  shown: readonly JsonObject[],
  visible: readonly VisibleItem[],
): TurnKeys {
  const turn = { callIds: callIdsOf(shown), signatures: [] };
  const keys = keysOfNextTurn(conversationOf(view), turn, saidByModel(visible));
  return view.body.store === false ? keys : withItemKey(keys, visible[0]?.id);
}

/** The runs of a history's items that the model made, each found once. */
export const runsIn = rememberBy(({ history }: RequestView) => runsOf(history));

const conversationOf = rememberBy((view: RequestView): Conversation => {
  const { history, toolSection } = view;
  const runs = runsIn(view);
  const runAt = new Map(runs.map((run) => [run.start, run]));
  return {
    turns: runs.map(({ start, items }) => ({ position: start, callIds: callIdsOf(items), signatures: [] })),
    length: history.length,
    toolSection,
    saidAt: (position) => {
      const run = runAt.get(position);
      return run === undefined ? saidByClient(history[position]) : saidByModel(visibleItems(run.items));
    },
  };
});

function withItemKey(keys: TurnKeys, id: string | undefined): TurnKeys {
  return id === undefined ? keys : { ...keys, own: [...keys.own, `item:${id}`] };
}

/** The first item of a turn that is only referred to. */
function referenceIn(items: readonly JsonObject[]): string | undefined {
  const [first] = items.filter((item) => !isReasoning(item));
  return first?.type === 'item_reference' && typeof first.id === 'string' ? first.id : undefined;
}

function saidByModel(visible: readonly VisibleItem[]): string {
  return `assistant:${joinedForm(visible)}`;
}

const INSTRUCTING_ROLES: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** Results of tools count: conversations that read alike but for those are not the same. Items within a run were told of with its first. */
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
