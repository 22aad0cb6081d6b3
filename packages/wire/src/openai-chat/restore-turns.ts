import type { HiddenTurn, LoadMode, RequestView } from '../format/view.ts';
import { type Edit, type JsonObject, textOf } from '../json/json-splice.ts';
import type { KeptResult } from '../turns/kept-result.ts';
import { recallTurns } from '../turns/recall-turns.ts';
import { FORMAT_NAME } from './format-name.ts';
import { historyKeys } from './history-keys.ts';
import { restoreMessage } from './restore-message.ts';
import { normalForm } from './visible-message.ts';
import { type ResultStyle, resultMessages } from './write-results.ts';

/**
 * The edits that put hidden turns back around the visible ones they belong to.
 *
 * A visible turn is looked up by its keys, and left alone when it no longer reads as it was sent: then somebody changed
 * it, and it is not for us to change it back. What the client added to the message stays.
 */
export function restoreTurns(
  view: RequestView,
  hiddenTurns: readonly HiddenTurn[],
  loadMode: LoadMode,
): Edit[] {
  const recalled = recallByTurn(view, hiddenTurns);
  return view.turns.flatMap(({ position }, index) => {
    const hidden = recalled[index];
    return hidden ? [putBack(position, hidden, { view, loadMode })] : [];
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

function putBack(position: number, hidden: HiddenTurn, style: ResultStyle): Edit {
  const { view } = style;
  const before = hidden.before.flatMap((part) =>
    part.startsWith('[') ? resultMessages(JSON.parse(part) as KeptResult[], style) : [part],
  );
  const results = resultMessages(
    hidden.results.map((result) => JSON.parse(result) as KeptResult),
    style,
  );
  const message = view.history[position] as JsonObject;
  const span = view.spans.history[position]!;
  const restored = restoreMessage(textOf(view.text, span), message, hidden);
  return { ...span, text: [...before, ...(restored === undefined ? [] : [restored]), ...results].join(',') };
}
