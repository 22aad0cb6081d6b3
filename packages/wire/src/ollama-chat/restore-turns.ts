import type { HiddenTurn, RequestView } from '../format/view.ts';
import { type Edit, type JsonObject, textOf } from '../json/json-splice.ts';
import { declaredTools } from '../turns/kept-result.ts';
import { recallTurns } from '../turns/recall-turns.ts';
import { FORMAT_NAME } from './format-name.ts';
import { historyKeys } from './history-keys.ts';
import { readHidden } from './read-hidden.ts';
import { restoreMessage } from './restore-message.ts';
import { normalForm } from './visible-message.ts';
import { resultMessages } from './write-results.ts';

/**
 * The edits that put hidden turns back around the visible ones they belong to. A visible turn that no longer reads as it was sent is left
 * alone: somebody has changed it. What the client added to the message stays.
 */
export function restoreTurns(view: RequestView, hiddenTurns: readonly HiddenTurn[]): Edit[] {
  const recalled = recallByTurn(view, hiddenTurns);
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    return hidden ? [putBack(view, position, hidden)] : [];
  });
}

/** The hidden turns that are put back, in the order of the history. */
export function recall(view: RequestView, hiddenTurns: readonly HiddenTurn[]): HiddenTurn[] {
  return recallByTurn(view, hiddenTurns).filter((hidden) => hidden !== undefined);
}

function recallByTurn(view: RequestView, hiddenTurns: readonly HiddenTurn[]): (HiddenTurn | undefined)[] {
  const ours = hiddenTurns.filter(({ format }) => format === FORMAT_NAME);
  if (ours.length === 0) return [];
  return recallTurns(historyKeys(view), ours, (index, hidden) => {
    const message = view.history[view.turns[index]!.position] as JsonObject;
    return normalForm(message) === hidden.visible ? hidden : undefined;
  });
}

function putBack(view: RequestView, position: number, hidden: HiddenTurn): Edit {
  const declared = declaredTools(view);
  const { earlier, last } = readHidden(hidden);
  const span = view.spans.history[position]!;
  const restored = restoreMessage(textOf(view.text, span), hidden);
  const texts = [
    ...earlier.flatMap(({ message, results }) => [message, ...resultMessages(results, message, declared)]),
    ...(restored === undefined ? [] : [restored]),
    ...resultMessages(last.results, last.message, declared),
  ];
  return { ...span, text: texts.join(',') };
}
