import type { HiddenTurn, RequestView, Round, Turn, TurnKeys } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { hasSearches, toHiddenTurn } from '../turns/hidden-turn.ts';
import { keepAnswered } from '../turns/kept-result.ts';
import { withoutUnanswered } from '../turns/without-unanswered.ts';
import { keysOfShown } from './history-keys.ts';
import { isToolUse, readBlocks } from './read-blocks.ts';
import { visibleForm } from './visible-form.ts';

/** The name of the format in configuration, records and hidden turns. */
export const FORMAT_NAME = 'anthropic-messages';

/**
 * What to keep of an exchange, undefined when the client saw all of it.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  if (!hasSearches(rounds)) return undefined;
  const shown = rounds.flatMap(({ turn }) => visibleBlocks(turn));
  const visible = visibleForm(shown);
  if (visible === '') return undefined;
  return toHiddenTurn(rounds, {
    format: FORMAT_NAME,
    keys: keysOfShown(view, shown),
    visible,
    message: withoutUnanswered(rounds.at(-1)!, (block) => (isToolUse(block) ? block.id : undefined)),
    keep: keepAnswered,
  });
}

/** The keys of what the client sees of these rounds; undefined when it sees nothing. */
export function shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined {
  const shown = rounds.flatMap(({ turn }) => visibleBlocks(turn));
  return visibleForm(shown) === '' ? undefined : keysOfShown(view, shown);
}

function visibleBlocks({ message, searches }: Turn): JsonObject[] {
  const searchIds = new Set<unknown>(searches.map(({ id }) => id));
  return readBlocks(JSON.parse(message)).filter(({ type, id }) => type !== 'tool_use' || !searchIds.has(id));
}
