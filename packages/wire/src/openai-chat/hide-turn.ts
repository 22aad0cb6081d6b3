import type { HiddenTurn, RequestView, Round, TurnKeys } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { hasSearches, toHiddenTurn } from '../turns/hidden-turn.ts';
import { FORMAT_NAME } from './format-name.ts';
import { keysOfShown } from './history-keys.ts';
import { answeredMessage, normalForm, visibleMessage } from './visible-message.ts';

/**
 * What the client has not seen of an exchange; undefined when it saw everything.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  if (!hasSearches(rounds)) return undefined;
  const visible = shownMessage(rounds);
  return toHiddenTurn(rounds, {
    format: FORMAT_NAME,
    keys: keysOfShown(view, visible),
    visible: normalForm(visible),
  });
}

/** The keys of what the client sees of these rounds; undefined without any. */
export function shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined {
  return rounds.length === 0 ? undefined : keysOfShown(view, shownMessage(rounds));
}

function shownMessage(rounds: readonly Round[]): JsonObject {
  return visibleMessage(rounds.map(({ turn }) => answeredMessage(turn)));
}
