import type { RequestAddress } from './request-reader.ts';
import type { ResponseAlias } from './stored-responses.ts';
import type { HiddenTurn, Plan, RequestView, Round } from './view.ts';

/** Writes the requests that go upstream. */
export interface RequestEditor {
  /**
   * The request that goes upstream: the client's, with the tools of `plan`, the hidden turns that belong to its visible
   * turns put back, and the rounds of this exchange appended. Everything outside these spots stays byte for byte;
   * without any of them the result is `view.bytes.whole` itself.
   */
  editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array;

  /**
   * The path and query to which an edited request goes, where they differ from the client's.
   * Without this function they never do.
   */
  editTarget?(view: RequestView, address: RequestAddress): RequestAddress;
}

/** What was said before and is not in the client's request. */
export interface Past {
  /** Hidden turns that may belong to the history. Those of other formats and those without a visible turn are ignored. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Rounds of this exchange, in order. */
  readonly rounds: readonly Round[];
  /** Takes the thinking out of the history, as far as the provider allows. False by default. */
  readonly dropsThinking?: boolean;
  /** Leaves out the ids of items that the client has not seen, and of those in one turn with them. False by default. */
  readonly dropsIds?: boolean;
  /** The stored response that the request continues. */
  readonly alias?: ResponseAlias | undefined;
}
