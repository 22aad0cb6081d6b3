import type { HiddenTurn, RequestView, Round, TurnKeys } from './view.ts';

/** Recognises turns in later requests, and keeps what the client did not see of them. */
export interface TurnMemory {
  /** The keys of each visible turn of a history, in the order of `view.turns`. */
  historyKeys(view: RequestView): readonly TurnKeys[];

  /** The key of what was said before the first turn of the assistant. Many conversations may begin alike. */
  openingKey(view: RequestView): string;

  /** The keys of what the client sees of these rounds, once it sends that back; undefined when it sees nothing. Results do not matter. */
  shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined;

  /** The hidden turns that `editRequest` would put back, in the order of the history. */
  recall(view: RequestView, hiddenTurns: readonly HiddenTurn[]): readonly HiddenTurn[];

  /**
   * The turn to keep of an exchange for later requests, undefined when the client saw everything.
   * `rounds` are all rounds of the exchange in order; the last is the one that was finished, its results answering the
   * searches that stood next to real calls (none, usually).
   */
  hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined;
}
