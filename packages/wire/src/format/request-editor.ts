import type { RequestAddress } from './request-reader.ts';
import type { ResponseAlias } from './stored-responses.ts';
import type { HiddenTurn, LoadMode, Plan, PreloadForm, RequestView, Round } from './view.ts';

/** Writes the requests that go upstream. */
export interface RequestEditor {
  /**
   * Returns the request to send upstream: the client's request with the tools of `plan`, the hidden turns put
   * back next to their visible turns, and the rounds of this exchange appended. Everything else keeps its
   * bytes; without any edit, the result is `view.bytes.whole` itself.
   */
  editRequest(view: RequestView, plan: Plan, past: Past): Uint8Array;

  /**
   * Returns the forms in which a request can bring preloaded tools in a load mode, the best first; empty when
   * it lacks the conversation's first message. Without this function, there are none.
   */
  preloadForms?(view: RequestView, loadMode: LoadMode): readonly PreloadForm[];

  /** Returns the path and query of an edited request. Without this function, they are the client's. */
  editTarget?(view: RequestView, address: RequestAddress): RequestAddress;
}

/** The parts of the conversation that the client's request does not contain. */
export interface Past {
  /**
   * Hidden turns that may belong to the history. Turns of other formats, and turns without a visible turn,
   * are ignored.
   */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Rounds of this exchange, in order. */
  readonly rounds: readonly Round[];
  /** Removes thinking from the history, as far as the provider allows. False by default. */
  readonly dropsThinking?: boolean;
  /**
   * Removes the ids of items that the client has not seen, and those of other items in the same turn. False
   * by default.
   */
  readonly dropsIds?: boolean;
  /** The stored response that the request continues. */
  readonly alias?: ResponseAlias | undefined;
}
