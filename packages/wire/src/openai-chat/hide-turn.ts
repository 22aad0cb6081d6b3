import type { JsonObject } from '../json-splice.ts';
import { foundNames, keepResults } from '../kept-result.ts';
import type { HiddenTurn, RequestView, Round, TurnKeys } from '../view.ts';
import { FORMAT_NAME } from './format-name.ts';
import { keysOfShown } from './history-keys.ts';
import { answeredMessage, normalForm, visibleMessage } from './visible-message.ts';

/**
 * What the client has not seen of an exchange; undefined when it saw everything.
 *
 * `before` has, for each round but the last, the assistant's message and the list of its `KeptResult`s.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  const last = rounds.at(-1);
  if (last === undefined || rounds.every(({ turn }) => turn.searches.length === 0)) return undefined;
  const visible = shownMessage(rounds);
  return {
    format: FORMAT_NAME,
    keys: keysOfShown(view, visible),
    names: foundNames(rounds),
    visible: normalForm(visible),
    before: rounds.slice(0, -1).flatMap((round) => [round.turn.message, JSON.stringify(keepResults(round))]),
    message: last.turn.message,
    results: keepResults(last).map((result) => JSON.stringify(result)),
  };
}

/** The keys of what the client sees of these rounds; undefined without any. */
export function shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined {
  return rounds.length === 0 ? undefined : keysOfShown(view, shownMessage(rounds));
}

function shownMessage(rounds: readonly Round[]): JsonObject {
  return visibleMessage(rounds.map(({ turn }) => answeredMessage(turn)));
}
