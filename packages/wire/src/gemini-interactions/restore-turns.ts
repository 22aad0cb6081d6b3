import type { HiddenTurn, RequestView } from '../format/view.ts';
import { type Edit, elementsOf, type Span, textOf } from '../json/json-splice.ts';
import { type DeclaredTools, declaredTools, type KeptResult } from '../turns/kept-result.ts';
import { recallTurns } from '../turns/recall-turns.ts';
import { FORMAT_NAME } from './format-name.ts';
import { historyKeys, runsIn } from './history-keys.ts';
import type { Run } from './read-history.ts';
import { visibleForm } from './visible-form.ts';
import { writeResults } from './write-results.ts';

/** What puts hidden turns back. */
export interface Restoration {
  readonly edits: readonly Edit[];
  /** Positions of the turns that stand as the model said them again. */
  readonly restored: ReadonlySet<number>;
}

/**
 * The edits that put back every hidden turn whose visible part is in the history as it was shown. All steps of a turn become the ones that the model
 * made, so that each signature is where it was given; a turn that reads otherwise is left alone.
 */
export function restoreTurns(view: RequestView, hiddenTurns: readonly HiddenTurn[]): Restoration {
  const recalled = recallByTurn(view, hiddenTurns);
  const declared = declaredTools(view);
  const edits: Edit[] = [];
  const restored = new Set<number>();
  for (const [index, run] of runsIn(view).entries()) {
    const hidden = recalled[index];
    if (hidden === undefined) continue;
    restored.add(run.start);
    edits.push({ ...spanOf(view, run), text: restoredTexts(hidden, declared).join(',') });
  }
  return { edits, restored };
}

/** The hidden turns that are put back, in the order of the history. */
export function recall(view: RequestView, hiddenTurns: readonly HiddenTurn[]): HiddenTurn[] {
  return recallByTurn(view, hiddenTurns).filter((hidden) => hidden !== undefined);
}

function recallByTurn(view: RequestView, hiddenTurns: readonly HiddenTurn[]): (HiddenTurn | undefined)[] {
  const ours = hiddenTurns.filter(({ format }) => format === FORMAT_NAME);
  if (ours.length === 0) return [];
  const runs = runsIn(view);
  return recallTurns(historyKeys(view), ours, (index, hidden) =>
    visibleForm(runs[index]!.steps) === hidden.visible ? hidden : undefined,
  );
}

/** The steps as the model made them, searches and their results among them. */
function restoredTexts({ before, message, results }: HiddenTurn, declared: DeclaredTools): string[] {
  const write = (turn: string, kept: readonly KeptResult[]) => [
    ...elementTexts(turn),
    ...writeResults(turn, kept, declared),
  ];
  const earlier = before.flatMap((part, at) =>
    at % 2 === 0 ? write(part, JSON.parse(before[at + 1]!) as KeptResult[]) : [],
  );
  const last = results.map((result) => JSON.parse(result) as KeptResult);
  return [...earlier, ...write(message, last)];
}

/** The texts of a list's elements. */
export function elementTexts(list: string): string[] {
  return elementsOf(list, 0).map((span) => textOf(list, span));
}

function spanOf({ spans }: RequestView, { start, steps }: Run): Span {
  return { start: spans.history[start]!.start, end: spans.history[start + steps.length - 1]!.end };
}
