import type { StoredBridge } from '../bridge/stored-calls.ts';
import type { Refusal } from './load-rules.ts';
import type { RequestAddress } from './request-reader.ts';
import type { Plan, RequestView, Round, Turn } from './view.ts';

/**
 * Responses that a provider stores. Clients continue or retrieve a response by its id. When several rounds
 * form one response, its id stands for all of them.
 *
 * Contract: pure, like the format.
 */
export interface StoredResponses {
  /**
   * The way a server rejects a history item because it has nothing stored under the item's id; undefined
   * where items have no such ids. The request is then worth a retry with `dropsIds`.
   */
  readonly unstoredRefusal?: Refusal;
  /** Returns the id of the response that a request continues; undefined when it names none. */
  previousId(view: RequestView): string | undefined;
  /**
   * Returns the id that the client received for the exchange that ends with this turn; undefined when the
   * provider does not store it.
   */
  idOf(view: RequestView, turn: Turn): string | undefined;
  /** Returns the alias to keep for an exchange. `earlier` is the alias of the response that it continues. */
  aliasOf(
    view: RequestView,
    plan: Plan,
    rounds: readonly Round[],
    earlier: ResponseAlias | undefined,
  ): ResponseAlias | undefined;
  /** Reads a request about one stored response; undefined for any other request. */
  matchRoute(method: string, address: RequestAddress): StoredRequest | undefined;
  /**
   * Returns the addresses that such a request goes to, in order. The client gets the response of the last
   * one.
   */
  targetsOf(request: StoredRequest, alias: ResponseAlias): readonly RequestAddress[];
  /**
   * Returns the body of that response for the client: with the client's id and without a trace of the search
   * tool.
   */
  showStored(body: string, alias: ResponseAlias, searchToolName: string): string;
}

/** A request about one response that the provider stores. */
export interface StoredRequest {
  /** The id in its path. */
  readonly id: string;
  readonly action: 'get' | 'delete' | 'cancel' | 'input_items';
  /** The parts of the path before and after the id. */
  readonly around: readonly [before: string, behind: string];
  readonly query: string;
  /**
   * Whether the client asks for the response as a stream again. Its event numbers would be the provider's.
   */
  readonly isStream: boolean;
}

/**
 * A response that the provider stores, under the id that the client has for it.
 *
 * Contract: plain data that survives JSON; holds no part of the conversation except the results of calls that
 * the proxy answered.
 */
export interface ResponseAlias {
  readonly id: string;
  /**
   * The provider's ids of the exchange's responses, in order. The last one is the response to continue from.
   */
  readonly rounds: readonly string[];
  /** Names of the tools loaded up to this response, in load order. */
  readonly names: readonly string[];
  /**
   * Results of searches that came together with real calls, as the format keeps them. They are sent with the
   * results of those calls.
   */
  readonly results: readonly string[];
  /** Names of tools that the proxy offered in the exchange; absent when it offered none. */
  readonly offered?: readonly string[] | undefined;
  /** The facts about its calls in bridge mode; absent in other modes. */
  readonly bridge?: StoredBridge | undefined;
}
