import type { HiddenTurn, RequestView, Round, TurnKeys } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { hasSearches, toHiddenTurn } from '../turns/hidden-turn.ts';
import { FORMAT_NAME } from './format-name.ts';
import { keysOfShown } from './history-keys.ts';
import { callOf, callsOf, partsOf } from './read-contents.ts';
import { visibleForm } from './visible-form.ts';

/**
 * What the client has not seen of an exchange; undefined when it saw everything.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  if (!hasSearches(rounds)) return undefined;
  const visible = rounds.flatMap(shownParts);
  return toHiddenTurn(rounds, {
    format: FORMAT_NAME,
    keys: keysOfShown(view, visible),
    visible: visibleForm(visible),
  });
}

/** The keys of what the client sees of these rounds; undefined without any. */
export function shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined {
  return rounds.length === 0 ? undefined : keysOfShown(view, rounds.flatMap(shownParts));
}

function shownParts({ turn: { message, searches } }: Round): JsonObject[] {
  const parts = partsOf(JSON.parse(message));
  const hidden = new Set(searches.map(({ id }) => id));
  const isHidden = new Set(callsOf(parts).flatMap(({ key, call }) => (hidden.has(key) ? [call] : [])));
  return parts.filter((part) => !isHidden.has(callOf(part) ?? part));
}
