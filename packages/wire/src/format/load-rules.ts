import type { LoadMode, Plan } from './view.ts';

/** How a format loads deferred tools. Plain data. */
export interface LoadRules {
  /** The load modes that the format can write, whatever a model is called. */
  readonly modes: readonly LoadMode[];
  /** Names of the models that load natively at the vendor; every other model loads by `swap`. */
  readonly nativeModels: readonly RegExp[];
  /** Set where compatible servers have native mode, and the vendor's own are known not to: there it is never tried. */
  readonly isNativeElsewhere?: true;
  /** Headers that a native request with deferred tools needs: each value is appended to what the client sent, once. */
  readonly nativeHeaders?: readonly AddedHeader[];
  /**
   * How a server that accepted deferred tools refuses a reference to one in a result; undefined where deferral and references come together.
   * Then the same round is asked for once more by swap, and new conversations swap from the start.
   */
  readonly referenceRefusal?: Refusal;
}

/** An error response that tells why a request was refused. */
export interface Refusal {
  readonly statuses: readonly number[];
  /** Fits its body. */
  readonly words: RegExp;
}

/** A value for a header that holds a list. */
export interface AddedHeader {
  readonly name: string;
  readonly value: string;
}

/** Whether a model of this name loads natively at the vendor. */
export function loadsNatively({ nativeModels }: LoadRules, model: string | undefined): boolean {
  return model !== undefined && nativeModels.some((pattern) => pattern.test(model));
}

/** The headers that a request edited by this plan needs. */
export function addedHeaders(
  { nativeHeaders = [] }: LoadRules,
  { loadMode, defer }: Plan,
): readonly AddedHeader[] {
  return loadMode === 'native' && defer.length > 0 ? nativeHeaders : [];
}
