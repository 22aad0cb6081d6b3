import type { HiddenTurn, RequestView } from '../format/view.ts';
import type { Edit } from '../json/json-splice.ts';
import type { DeclaredTools } from '../turns/kept-result.ts';
import { type HiddenRound, hiddenRounds } from '../turns/remember-turns.ts';
import { elementTexts, replaceTurn, spanOfRun } from '../turns/runs.ts';
import { runsIn, turns } from './turns.ts';
import { writeResults } from './write-results.ts';

/** The edits that put hidden turns back. */
export interface Restoration {
  readonly edits: readonly Edit[];
  /** Positions of the turns that again hold the model's original steps. */
  readonly restored: ReadonlySet<number>;
}

/**
 * Returns the edits that put back every hidden turn whose visible part is unchanged in the history. All steps
 * of a turn become the model's original ones, so that each signature is in its place; a changed turn is left
 * alone.
 */
export function restoreTurns(
  view: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  declared: DeclaredTools,
): Restoration {
  const recalled = turns.recallByTurn(view, hiddenTurns);
  const edits: Edit[] = [];
  const restored = new Set<number>();
  for (const [index, run] of runsIn(view).entries()) {
    const hidden = recalled[index];
    if (hidden === undefined) continue;
    const { earlier, last } = hiddenRounds(hidden);
    const write = ({ message, results }: HiddenRound) => [
      ...elementTexts(message),
      ...writeResults(message, results, declared),
    ];
    restored.add(run.start);
    // Results are written in their order: a tool is defined in the first one that names it.
    const before = earlier.flatMap(write);
    edits.push(replaceTurn(spanOfRun(view, run), { before, spoken: write(last) }));
  }
  return { edits, restored };
}
