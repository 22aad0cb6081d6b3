import type { HiddenTurn, RequestView } from '../format/view.ts';
import { type Edit, type JsonObject, removeMembers, splice, textOf, valueSpan } from '../json/json-splice.ts';
import type { KeptResult } from '../turns/kept-result.ts';
import { hiddenRounds } from '../turns/remember-turns.ts';
import { elementTexts, type Run, replaceTurn, spanOfRun, type TurnElements } from '../turns/runs.ts';
import { isReasoning } from './read-items.ts';
import { runsIn, turns } from './turns.ts';
import { type ResultSource, writeResults } from './write-results.ts';

/** The repairs of a history with lost hidden turns. */
export interface Mending {
  /** Whether tools are deferred, so that turns may have been hidden. */
  readonly mayBeLost: boolean;
  /** Whether the provider has refused the reasoning of this history. */
  readonly dropsThinking: boolean;
  /** Whether the provider has refused ids of items that it has not stored. */
  readonly dropsIds: boolean;
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
  return runsIn(view).flatMap((run, index) => {
    const hidden = recalled[index];
    const texts = hidden
      ? restoredTexts(view, run, hidden, { source, ...mending })
      : mendedTexts(view, run, mending);
    // A run that would become empty stays, because its commas are the client's.
    if (texts === undefined || texts.before.length + texts.spoken.length === 0) return [];
    return [replaceTurn(spanOfRun(view, run), texts)];
  });
}

/**
 * Returns the model's original items, with searches and their results; items that the client only refers to
 * stay references.
 */
function restoredTexts(
  view: RequestView,
  run: Run,
  hidden: HiddenTurn,
  { source, dropsIds }: Pick<Mending, 'dropsIds'> & { readonly source: ResultSource },
): TurnElements {
  const references = new Map<unknown, string>();
  run.items.forEach((item, at) => {
    if (item.type === 'item_reference') references.set(item.id, textAt(view, run, at));
  });
  const write = (turn: string, results: readonly KeptResult[]) => [
    ...elementTexts(turn).map((text) => referenceTo(text, references) ?? (dropsIds ? withoutId(text) : text)),
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
