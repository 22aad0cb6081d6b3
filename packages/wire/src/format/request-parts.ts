import type { BodyBytes } from '../json/body-bytes.ts';
import type {
  HiddenTurn,
  LoadMode,
  Plan,
  PreloadForm,
  Purpose,
  RequestReading,
  RequestView,
  Round,
  Turn,
  TurnKeys,
} from './view.ts';

/** Reads requests. */
export interface RequestReader {
  /** The paths of the format's requests; the first match decides. */
  readonly routes: readonly Route[];

  /** Reads the parts of a decompressed body that Winnow uses. Linear in its size. */
  readRequest(bytes: BodyBytes, options: ReadOptions): RequestReading;
}

/** A path to which clients post, without its query string, and the purpose of such a request. */
export type Route = readonly [path: RegExp, purpose: Purpose];

/**
 * Returns the purpose of a request to this path; undefined when the format does not handle it. `path` has no
 * query string.
 */
export function matchRoute({ routes }: RequestReader, method: string, path: string): Purpose | undefined {
  return method === 'POST' ? routes.find(([route]) => route.test(path))?.[1] : undefined;
}

/** The address of a request as the client wrote it, without the prefix that names an upstream. */
export interface RequestAddress {
  readonly path: string;
  /** The query string with its question mark; empty when there is none. */
  readonly query: string;
}

/** The facts that reading needs in addition to the body. */
export interface ReadOptions extends RequestAddress {
  readonly purpose: Purpose;
  /** The search tool's name. A request whose client has a tool of that name is left alone. */
  readonly searchToolName: string;
  /**
   * Reserves memory, in bytes; returns false when there is too little, and the request is not read. Without
   * it, memory is unlimited.
   */
  readonly take?: ((bytes: number) => boolean) | undefined;
}

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
  /** Names of the edits that the upstream refuses: `DispensableEdit`, and `.name` for members of hidden messages. */
  readonly without?: ReadonlySet<string> | undefined;
  /** The stored response that the request continues. */
  readonly alias?: ResponseAlias | undefined;
}

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

/**
 * Responses that a provider stores. Clients continue or retrieve a response by its id. When several rounds
 * form one response, its id stands for all of them.
 *
 * Contract: pure, like the format.
 */
export interface StoredResponses {
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

/**
 * The facts about bridge mode without which a stored response cannot be shown.
 *
 * Contract: plain data that survives JSON.
 */
export interface StoredBridge {
  /** The bridge tool's name. */
  readonly tool: string;
  /** Ids of calls of the bridge tool that were refused. */
  readonly refused: readonly string[];
  /** Ids of the last turn's calls of the bridge tool, which the client answers; absent in older data. */
  readonly open?: readonly string[];
  /** Names of the namespaces of called functions. */
  readonly namespaces: readonly string[];
}
