import type { HiddenTurn, RequestView } from '../format/view.ts';
import { type Edit, type JsonObject, textOf } from '../json/json-splice.ts';
import { hiddenRounds } from '../turns/remember-turns.ts';
import { replaceTurn } from '../turns/runs.ts';
import { restoreMessage } from './restore-message.ts';
import { turns } from './turns.ts';
import { type ResultStyle, resultMessages } from './write-results.ts';

/**
 * Returns the edits that put hidden turns back around their visible turns.
 *
 * A visible turn is looked up by its keys, and left alone when it has changed, because the client changed it
 * on purpose. The client's additions to the message stay.
 */
export function restoreTurns(
  view: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  style: ResultStyle,
): Edit[] {
  const recalled = turns.recallByTurn(view, hiddenTurns);
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    return hidden ? [putBack(view, position, hidden, style)] : [];
  });
}

function putBack(view: RequestView, position: number, hidden: HiddenTurn, style: ResultStyle): Edit {
  const { earlier, last } = hiddenRounds(hidden);
  const before = earlier.flatMap(({ message, results }) => [message, ...resultMessages(results, style)]);
  const message = view.history[position] as JsonObject;
  const span = view.spans.history[position]!;
  const restored = restoreMessage(textOf(view.text, span), message, hidden);
  const results = resultMessages(last.results, style);
  return replaceTurn(span, { before, spoken: restored === undefined ? [] : [restored], behind: results });
}
