import type { HiddenTurn, RequestView } from '../format/view.ts';
import { type Edit, textOf } from '../json/json-splice.ts';
import type { DeclaredTools } from '../turns/kept-result.ts';
import { hiddenRounds } from '../turns/remember-turns.ts';
import { replaceTurn } from '../turns/runs.ts';
import { restoreMessage } from './restore-message.ts';
import { turns } from './turns.ts';
import { resultMessages } from './write-results.ts';

/**
 * Returns the edits that put hidden turns back around their visible turns. A visible turn that the client has
 * changed is left alone. The client's additions to the message stay.
 */
export function restoreTurns(
  view: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  declared: DeclaredTools,
): Edit[] {
  const recalled = turns.recallByTurn(view, hiddenTurns);
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    return hidden ? [putBack(view, position, hidden, declared)] : [];
  });
}

function putBack(view: RequestView, position: number, hidden: HiddenTurn, declared: DeclaredTools): Edit {
  const { earlier, last } = hiddenRounds(hidden);
  const span = view.spans.history[position]!;
  const restored = restoreMessage(textOf(view.text, span), hidden);
  return replaceTurn(span, {
    before: earlier.flatMap(({ message, results }) => [
      message,
      ...resultMessages(results, message, declared),
    ]),
    spoken: restored === undefined ? [] : [restored],
    behind: resultMessages(last.results, last.message, declared),
  });
}
