import type { JsonObject } from '../json-splice.ts';
import { foundNames, keepResults } from '../kept-result.ts';
import type { HiddenTurn, RequestView, Round, Turn, TurnKeys } from '../view.ts';
import { FORMAT_NAME } from './format-name.ts';
import { keysOfShown } from './history-keys.ts';
import { isFunctionCall } from './read-steps.ts';
import { visibleForm } from './visible-form.ts';
import { stepsIn } from './write-results.ts';

/**
 * What to keep of an exchange, undefined when the client saw all of it, or nothing.
 *
 * `before` has, for each round but the last, the list of its steps and the list of its `KeptResult`s; `message` is the last round's list.
 */
export function hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined {
  const last = rounds.at(-1);
  if (last === undefined || rounds.every(({ turn }) => turn.searches.length === 0)) return undefined;
  const shown = shownSteps(rounds);
  const visible = visibleForm(shown);
  if (visible === '') return undefined;
  return {
    format: FORMAT_NAME,
    keys: keysOfShown(view, shown, visible),
    names: foundNames(rounds),
    visible,
    before: rounds.slice(0, -1).flatMap((round) => [round.turn.message, JSON.stringify(keepResults(round))]),
    message: last.turn.message,
    results: keepResults(last).map((result) => JSON.stringify(result)),
  };
}

/** The keys of what the client sees of these rounds; undefined when it sees nothing. */
export function shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined {
  const shown = shownSteps(rounds);
  const visible = visibleForm(shown);
  return visible === '' ? undefined : keysOfShown(view, shown, visible);
}

function shownSteps(rounds: readonly Round[]): JsonObject[] {
  return rounds.flatMap(({ turn }) => shownOf(turn));
}

function shownOf({ message, searches }: Turn): JsonObject[] {
  const searchIds = new Set<unknown>(searches.map(({ id }) => id));
  return stepsIn(message).filter((step) => !isFunctionCall(step) || !searchIds.has(step.id));
}
