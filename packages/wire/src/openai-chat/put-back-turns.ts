import { type Edit, isJsonObject, type JsonObject, textOf } from '../json-splice.ts';
import type { HiddenTurn, RequestView, VisibleTurn } from '../view.ts';
import { FORMAT_NAME } from './format-name.ts';
import { restoreMessage } from './restore-message.ts';
import { normalForm, turnKeys } from './visible-message.ts';

/**
 * The edits that put hidden turns back around the visible ones they belong to.
 *
 * A visible turn is looked up by its keys, and left alone when it no longer reads as it was sent: then somebody changed
 * it, and it is not for us to change it back. What the client added to the message stays.
 */
export function putBackTurns(view: RequestView, hiddenTurns: readonly HiddenTurn[]): Edit[] {
  const byKey = new Map(
    hiddenTurns
      .filter(({ format }) => format === FORMAT_NAME)
      .flatMap((hidden) => hidden.keys.map((key) => [key, hidden])),
  );
  if (byKey.size === 0) return [];
  return view.turns.flatMap((turn, ordinal) => putBack(view, turn, ordinal, byKey));
}

function putBack(
  view: RequestView,
  { position }: VisibleTurn,
  ordinal: number,
  byKey: ReadonlyMap<string, HiddenTurn>,
): Edit[] {
  const messages = view.body.messages as readonly unknown[];
  const message = messages[position] as JsonObject;
  const previous = messages[position - 1];
  const place = { ordinal, previous: isJsonObject(previous) ? previous : undefined };
  const key = turnKeys(message, place).find((candidate) => byKey.has(candidate));
  const hidden = key === undefined ? undefined : byKey.get(key);
  if (hidden === undefined || normalForm(message) !== hidden.visible) return [];
  const span = view.spans.messages[position]!;
  const restored = restoreMessage(textOf(view.text, span), message, hidden);
  return [{ ...span, text: [...hidden.before, restored, ...hidden.results].join(',') }];
}
