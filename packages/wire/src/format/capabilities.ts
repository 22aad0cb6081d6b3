import type { WireEvent } from '../framing/framing.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { RequestEditor, StoredResponses } from './request-parts.ts';
import type { ResponseJoining } from './response-joiner.ts';
import type { Plan, RequestView, SearchCall, SearchResult, ToolSection } from './view.ts';

/** Capabilities that only some formats have. A format leaves out the others. */
export interface Capabilities {
  /** Reads the definitions of tools; every format with bridge mode has it. */
  readonly bridge?: ToolReading;
  /** Finds the thinking in a history that the provider checks. */
  readonly thinking?: ThinkingReader;
  /** Responses that the provider stores and clients name by their ids. */
  readonly storedResponses?: StoredResponses;
  /**
   * The JSON member, with its colon, that marks the end of a cached part of a prompt. Absent if the provider
   * caches prompts without marks.
   */
  readonly cacheMark?: string;

  /**
   * Rewrites the request of a client that defers tools itself, for an upstream that cannot; undefined for any
   * other request. The joiner of its response gets a plan that changes nothing (`RewritingJoiner`).
   */
  polyfill?(view: RequestView): Polyfilled | undefined;

  /**
   * Returns the searches that a request leaves to the provider, for an upstream that runs none; undefined for
   * any other request.
   */
  hostedSearches?(view: RequestView): HostedSearches | undefined;
}

/** Reads the thinking in a request. */
export interface ThinkingReader {
  /** Names of the models that bind their thinking to the exact tools and messages before it. */
  readonly bindingModels: readonly RegExp[];

  /** Whether thinking is on: the request asks for it, or its history contains some. */
  isThinking(view: RequestView): boolean;

  /**
   * Whether a history contains thinking that the provider may reject because a hidden turn around it is lost.
   * The request may then be retried with `dropsThinking`.
   */
  holdsThinking(view: RequestView): boolean;

  /**
   * Whether a history whose thinking was rejected seems to have lost hidden turns. Otherwise the conversation
   * began before its tools were changed, and the provider would reject the original as well.
   */
  hasLostRounds(view: RequestView, plan: Plan): boolean;
}

/** Whether a model of this name binds its thinking. */
export function bindsThinking(
  { thinking }: Pick<Capabilities, 'thinking'>,
  model: string | undefined,
): boolean {
  return model !== undefined && thinking?.bindingModels.some((pattern) => pattern.test(model)) === true;
}

/** Writes a tool as the JSON of an entry for this section. */
export type WriteTool = (tool: AddedTool, section: ToolSection | undefined) => string;

/** A tool that is added to a request. */
export interface AddedTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object. */
  readonly parameters: JsonObject;
}

/**
 * Searches that the client leaves to the provider and the proxy answers. The client sees them as the
 * provider's own and sends them back.
 *
 * Contract: pure, like the format; everything follows from the request.
 */
export interface HostedSearches {
  /**
   * The plan of the first request. The proxy answers the calls of its `offered` tools; it has none when only
   * the history has searches.
   */
  readonly plan: Plan;
  /** Searches of the last turn without a result. Their results begin the response. */
  readonly open: readonly SearchCall[];
  /** Values to remove from list headers of the client before they go upstream. */
  readonly removedHeaders: readonly HeaderValue[];
  queryOf(call: SearchCall): HostedQuery;
  /**
   * Returns the parts of the format that differ in this exchange, with these results for the open searches.
   */
  answering(results: readonly SearchResult[]): {
    readonly editing: RequestEditor;
    readonly joining: ResponseJoining;
  };
}

/** Reads the definitions of a format's tools. */
export interface ToolReading {
  /** Returns the JSON schema of a function's parameters; undefined when it declares none. */
  parametersOf(definition: unknown): unknown;
}

/**
 * The request of a client that defers tools itself, rewritten for an upstream that does not support this, and
 * the rewriter for its response.
 *
 * Contract: everything follows from the request alone. Equal requests give equal bytes, and a longer history
 * starts with the tools of a shorter one, so that prompts stay cached.
 */
export interface Polyfilled {
  readonly body: Uint8Array;
  /** Values to remove from list headers of the client before they go upstream. */
  readonly removedHeaders: readonly HeaderValue[];
  /**
   * Makes a rewriter that turns the upstream's response into that of an upstream with support for deferred
   * tools; undefined when the responses do not differ.
   */
  readonly rewriter?: (() => ResponseRewriter) | undefined;
}

/** The query of a search that the provider would run. */
export interface HostedQuery {
  /** The kind of query: a regular expression, or words. */
  readonly kind: 'regex' | 'words';
  /** The query as the model wrote it; empty when it is not a string. */
  readonly text: string;
  /** The longest query that is accepted. */
  readonly mostChars: number;
  /** The most tools to find. */
  readonly limit: number;
}

/** A value of a header that holds a list. */
export interface HeaderValue {
  /** The header's name, in lower case. */
  readonly name: string;
  readonly value: string;
}

/** Rewrites the events of one response. */
export interface ResponseRewriter {
  /** Returns the event for the client; undefined to drop it. Never throws, whatever the upstream sends. */
  rewrite(event: WireEvent): WireEvent | undefined;
}
