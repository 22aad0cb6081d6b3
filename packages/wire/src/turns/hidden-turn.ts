import type { HiddenTurn, Round } from '../format/view.ts';
import { foundNames, type KeptResult, keepResults } from './kept-result.ts';

/** Whether the client has not seen all of these rounds. */
export function hasSearches(rounds: readonly Round[]): boolean {
  return rounds.some(({ turn }) => turn.searches.length > 0);
}

/** What a format has to say of rounds that are to be kept. */
export interface HiddenTurnParts extends Pick<HiddenTurn, 'format' | 'keys' | 'visible'> {
  /** The last message of the model, where not all of it may stand in a history. */
  readonly message?: string;
  /** The results of a round; one for each of its searches when it is left out. */
  readonly keep?: (round: Round) => readonly KeptResult[];
}

/**
 * Rounds, at least one, as they are kept. `before` has, for each round but the last, the model's message and the list of its `KeptResult`s; what
 * a message is is the format's own matter.
 */
export function toHiddenTurn(
  rounds: readonly Round[],
  { format, keys, visible, message, keep = keepResults }: HiddenTurnParts,
): HiddenTurn {
  const last = rounds.at(-1)!;
  return {
    format,
    keys,
    names: foundNames(rounds),
    visible,
    before: rounds.slice(0, -1).flatMap((round) => [round.turn.message, JSON.stringify(keep(round))]),
    message: message ?? last.turn.message,
    results: keep(last).map((result) => JSON.stringify(result)),
  };
}
