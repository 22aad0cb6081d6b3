import type { HiddenTurn, RequestView, Round, Turn, TurnKeys } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { hasSearches, toHiddenTurn } from '../turns/hidden-turn.ts';
import { FORMAT_NAME } from './format-name.ts';
import { keysOfShown } from './history-keys.ts';
import { visibleItems } from './visible-form.ts';
import { itemsIn } from './write-results.ts';

/**
 * What to keep of an exchange, undefined when the client saw all of it, or nothing.
 *
 * What stands for a message is the list of a round's items.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  if (!hasSearches(rounds)) return undefined;
  const shown = shownItems(rounds);
  const visible = visibleItems(shown);
  if (visible.length === 0) return undefined;
  return toHiddenTurn(rounds, {
    format: FORMAT_NAME,
    keys: keysOfShown(view, shown, visible),
    visible: JSON.stringify(visible),
  });
}

/** The keys of what the client sees of these rounds; undefined when it sees nothing. */
export function shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined {
  const shown = shownItems(rounds);
  const visible = visibleItems(shown);
  return visible.length === 0 ? undefined : keysOfShown(view, shown, visible);
}

function shownItems(rounds: readonly Round[]): JsonObject[] {
  return rounds.flatMap(({ turn }) => shownOf(turn));
}

function shownOf({ message, searches }: Turn): JsonObject[] {
  const searchIds = new Set<unknown>(searches.map(({ id }) => id));
  return itemsIn(message).filter(({ call_id: id }) => id === undefined || !searchIds.has(id));
}
