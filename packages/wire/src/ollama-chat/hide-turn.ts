import type { HiddenTurn, RequestView, Round, TurnKeys } from '../format/view.ts';
import { hasSearches, toHiddenTurn } from '../turns/hidden-turn.ts';
import { FORMAT_NAME } from './format-name.ts';
import { keysOfShown } from './history-keys.ts';
import { normalForm, visibleMessage } from './visible-message.ts';

/**
 * What the client has not seen of an exchange; undefined when it saw everything.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  if (!hasSearches(rounds)) return undefined;
  const visible = visibleMessage(rounds.map(({ turn }) => turn));
  return toHiddenTurn(rounds, {
    format: FORMAT_NAME,
    keys: keysOfShown(view, visible),
    visible: normalForm(visible),
  });
}

/** The keys of what the client sees of these rounds; undefined without any. */
export function shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined {
  if (rounds.length === 0) return undefined;
  return keysOfShown(view, visibleMessage(rounds.map(({ turn }) => turn)));
}
