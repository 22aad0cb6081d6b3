import type { LoadMode, Plan } from './view.ts';

/** The rules by which a format loads deferred tools. Plain data. */
export interface LoadRules {
  /** The load modes that the format can write, for any model. */
  readonly modes: readonly LoadMode[];
  /** Names of the models that load natively at the vendor; others load by `bridge` or `swap`. */
  readonly nativeModels: readonly RegExp[];
  /**
   * Set when servers of all kinds speak the format. There, a model's name does not tell its vendor unless its
   * price is known, and native mode is for servers other than the vendor's own.
   */
  readonly isSpokenByAll?: true;
  /**
   * Headers that a native request with deferred tools needs. Each value is appended once to the client's
   * header.
   */
  readonly nativeHeaders?: readonly AddedHeader[];
  /** Headers that a request needs, too, when it preloads tools by a change. */
  readonly changeHeaders?: readonly AddedHeader[];
  /**
   * The way a server that accepts deferred tools rejects a reference to one in a result; undefined where a
   * server supports both or neither. The same round is then requested once more by swap, and new
   * conversations swap from the start.
   */
  readonly referenceRefusal?: Refusal;
  /**
   * The way a server that loads natively rejects a change of tools within a conversation. The same round is
   * then requested once more without it, and later requests to the server do without.
   */
  readonly changeRefusal?: Refusal;
  /** The edits without which a request is worth a retry, besides members of hidden messages. */
  readonly edits?: readonly DispensableEdit[];
}

/** An edit that a request can do without, and the way in which servers refuse it. */
export interface DispensableEdit extends Refusal {
  /** Its name in `Past.without`. */
  readonly name: string;
}

/** A choice of no tool, after the last search. */
export const CHOICE: DispensableEdit = {
  name: 'choice',
  statuses: [400, 422],
  words: /tool_?choice|function_?calling_?config/i,
};

/** An error response that tells why a request was refused. */
export interface Refusal {
  readonly statuses: readonly number[];
  /** Matches the body of the response. */
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

/** Returns the headers that a request edited by this plan needs. */
export function addedHeaders(
  { nativeHeaders = [], changeHeaders = [] }: LoadRules,
  plan: Plan,
): readonly AddedHeader[] {
  if (plan.loadMode !== 'native' || plan.defer.length === 0) return [];
  return plan.preload?.form === 'change' ? [...nativeHeaders, ...changeHeaders] : nativeHeaders;
}
