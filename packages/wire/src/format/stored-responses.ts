import type { Refusal } from './load-rules.ts';
import type { RequestAddress } from './request-reader.ts';
import type { Plan, RequestView, Round, Turn } from './view.ts';

/**
 * Responses that a provider stores: clients continue one by its id, and ask for one by its id. Where several rounds
 * read as one response, that id stands for all of them.
 *
 * Contract: pure, as the format.
 */
export interface StoredResponses {
  /**
   * How a server refuses an item of the history because of its id, under which it has stored nothing; undefined where items have no such ids.
   * Then the request is worth another try with `dropsIds`.
   */
  readonly unstoredRefusal?: Refusal;
  /** The id of the response that a request continues; undefined when it names none. */
  previousId(view: RequestView): string | undefined;
  /** The id that the client was given of the exchange that ends with this turn; undefined when the provider does not keep it. */
  idOf(view: RequestView, turn: Turn): string | undefined;
  /** The alias to keep of an exchange by that id. `earlier` is the alias of the response that it continues. */
  aliasOf(
    view: RequestView,
    plan: Plan,
    rounds: readonly Round[],
    earlier: ResponseAlias | undefined,
  ): ResponseAlias | undefined;
  /** Reads a request about one stored response; undefined for any other request. */
  matchRoute(method: string, address: RequestAddress): StoredRequest | undefined;
  /** The addresses that such a request goes to, in order: the client gets the last one's response. */
  targetsOf(request: StoredRequest, alias: ResponseAlias): readonly RequestAddress[];
  /** The body of that response as the client may see it: with its own id, and without a trace of the search tool. */
  showStored(body: string, alias: ResponseAlias, searchToolName: string): string;
}

/** A request about one response that the provider stores. */
export interface StoredRequest {
  /** The id in its path. */
  readonly id: string;
  readonly action: 'get' | 'delete' | 'cancel' | 'input_items';
  /** The path in front of the id, and behind it. */
  readonly around: readonly [before: string, behind: string];
  readonly query: string;
  /** Whether the response is to be streamed once more: then its numbers would be the provider's. */
  readonly isStream: boolean;
}

/**
 * A response that the provider stores, as known by the id that the client has of it.
 *
 * Contract: plain data that survives JSON; holds nothing of the conversation but results of calls that the proxy answered.
 */
export interface ResponseAlias {
  readonly id: string;
  /** Ids of the exchange's responses at the provider, in order: the last is the one to go on from. */
  readonly rounds: readonly string[];
  /** Names of the tools that were loaded by then, in load order. */
  readonly names: readonly string[];
  /** Results of searches that stood beside real calls, as the format keeps them: they are answered with those. */
  readonly results: readonly string[];
  /** Names of tools that the proxy offered in the exchange; absent when it offered none. */
  readonly offered?: readonly string[] | undefined;
}
