import type { HiddenTurn, RequestView, Round, TurnKeys } from './view.ts';

/** Recognises turns in later requests, and keeps the parts of them that the client did not see. */
export interface TurnMemory {
  /** Returns the keys of each visible turn of a history, in the order of `view.turns`. */
  historyKeys(view: RequestView): readonly TurnKeys[];

  /** Returns the key of the messages before the first assistant turn. Many conversations may share it. */
  openingKey(view: RequestView): string;

  /**
   * Returns the keys that the visible part of these rounds has once the client sends it back; undefined when
   * nothing is visible. Results do not matter.
   */
  shownKeys(view: RequestView, rounds: readonly Round[]): TurnKeys | undefined;

  /** Returns the hidden turns that `editRequest` would put back, in the order of the history. */
  recall(view: RequestView, hiddenTurns: readonly HiddenTurn[]): readonly HiddenTurn[];

  /**
   * Returns the turn to keep for later requests; undefined when the client saw everything. `rounds` are all
   * rounds of the exchange in order. The last one is the finished round, whose results answer searches next
   * to real calls; usually it has none.
   */
  hideTurn(view: RequestView, rounds: readonly Round[]): HiddenTurn | undefined;
}
