import { type Edit, removeMembers, splice, textOf, valueSpan } from '@winnow/core';
import type { HiddenTurn, RequestView, Turn } from '../format/view.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json/json-value.ts';
import { rememberOn } from '../remember-by.ts';
import { contentWords } from '../request/read-history.ts';
import type { KeptResult } from '../turns/kept-result.ts';
import { hiddenRounds, rememberTurns } from '../turns/remember-turns.ts';
import {
  elementTexts,
  normalise,
  type Run,
  replaceTurn,
  runsOf,
  spanOfRun,
  type TurnElements,
} from '../turns/visible-form.ts';
import { itemsIn, type ResultSource, writeResults } from './edit-tools.ts';
import { calledName, callIdsOf, isFunctionCall, isMessage, isOfModel, isReasoning } from './read-request.ts';

/** Returns the runs of model items in a history, computed once per request. */
export const runsIn = rememberOn(({ history }: RequestView) => runsOf(history, isOfModel));

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

/** The repairs of a history with lost hidden turns. */
export interface Mending {
  /** Whether tools are deferred, so that turns may have been hidden. */
  readonly mayBeLost: boolean;
  /** Whether the provider has refused the reasoning of this history. */
  readonly dropsThinking: boolean;
}

/**
 * Puts back every hidden turn whose visible part is unchanged in the history, and repairs the remains of lost
 * ones.
 */
export function restoreTurns(
  view: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  source: ResultSource,
  mending: Mending,
): Edit[] {
  const recalled = turns.recallByTurn(view, hiddenTurns);
  const runs = runsIn(view);
  return runs.flatMap((run, index) => {
    const recalledTurn = recalled[index];
    // A client that has compacted its history may hold an item of the turn elsewhere, and no id may stand twice.
    const hidden = recalledTurn && isHeldElsewhere(recalledTurn, view, run) ? undefined : recalledTurn;
    const texts = hidden ? restoredTexts(view, run, hidden, source) : mendedTexts(view, run, mending);
    // A run that would become empty stays, because its commas are the client's.
    if (texts === undefined || texts.before.length + texts.spoken.length === 0) return [];
    return [replaceTurn(spanOfRun(view, run), texts)];
  });
}

function isHeldElsewhere(hidden: HiddenTurn, view: RequestView, { start, items }: Run): boolean {
  const { earlier, last } = hiddenRounds(hidden);
  const own = new Set([...earlier, last].flatMap(({ message }) => itemsIn(message).map(namedId)));
  own.delete(undefined);
  const isInRun = (at: number) => at >= start && at < start + items.length;
  return own.size > 0 && view.history.some((item, at) => !isInRun(at) && own.has(namedId(item)));
}

/** The id of an item, with its name: servers may give a call the id of an earlier search. */
function namedId(item: unknown): string | undefined {
  return isJsonObject(item) && typeof item.id === 'string' ? `${item.id} ${String(item.name)}` : undefined;
}

/**
 * Returns the model's original items, with searches and their results; items that the client only refers to
 * stay references.
 */
function restoredTexts(view: RequestView, run: Run, hidden: HiddenTurn, source: ResultSource): TurnElements {
  const references = new Map<unknown, string>();
  run.items.forEach((item, at) => {
    if (item.type === 'item_reference') references.set(item.id, textAt(view, run, at));
  });
  const write = (turn: string, results: readonly KeptResult[]) => [
    ...elementTexts(turn).map((text) => referenceTo(text, references) ?? text),
    ...writeResults(turn, results, source),
  ];
  const { earlier, last } = hiddenRounds(hidden);
  return {
    before: earlier.flatMap(({ message, results }) => write(message, results)),
    spoken: write(last.message, last.results),
  };
}

function referenceTo(item: string, references: ReadonlyMap<unknown, string>): string | undefined {
  if (references.size === 0) return undefined;
  return references.get((JSON.parse(item) as JsonObject).id);
}

/**
 * Returns the items of a turn that may have lost a hidden part: reasoning that led to a search now precedes
 * an unrelated item, and the provider refuses it there. Undefined when no repair is needed.
 */
function mendedTexts(
  view: RequestView,
  run: Run,
  { mayBeLost, dropsThinking }: Mending,
): TurnElements | undefined {
  if (!mayBeLost && !dropsThinking) return undefined;
  const isLost = (item: JsonObject, at: number) =>
    isReasoning(item) && (dropsThinking || isOrphan(run.items, at));
  if (!run.items.some(isLost)) return undefined;
  const spoken = run.items.flatMap((item, at) => {
    if (isLost(item, at)) return [];
    const text = textAt(view, run, at);
    // The provider looks up the source of an item with an id by that id.
    return [dropsThinking && item.type !== 'item_reference' ? withoutId(text) : text];
  });
  return { before: [], spoken };
}

/** Whether reasoning at this position of a turn leads to nothing: other reasoning, or the end, follows. */
export function isOrphan(items: readonly JsonObject[], at: number): boolean {
  const next = items[at + 1];
  return isReasoning(items[at]!) && (next === undefined || isReasoning(next));
}

/** Returns an item without its id, which would refer to a stored item. */
export function withoutId(item: string): string {
  return splice(item, removeMembers(item, valueSpan(item), ['id']));
}

function textAt({ text, spans }: RequestView, { start }: Run, at: number): string {
  return textOf(text, spans.history[start + at]!);
}
