import type { JsonObject } from '../json/json-splice.ts';
import type { HeaderValue, HostedQuery, Polyfilled } from './polyfilled.ts';
import type { RequestEditor } from './request-editor.ts';
import type { ResponseJoining } from './response-joiner.ts';
import type { StoredResponses } from './stored-responses.ts';
import type { Plan, RequestView, SearchCall, SearchResult, ToolSection } from './view.ts';

/** What only some formats can do. A format leaves out the others. */
export interface Capabilities {
  /** Tells what a history says of thinking that the provider checks. */
  readonly thinking?: ThinkingReader;
  /** How the proxy declares tools of its own; without it no request gets any. */
  readonly addedTools?: ToolDeclarations;
  /** Responses that the provider stores and clients name by their ids. */
  readonly storedResponses?: StoredResponses;

  /**
   * The request of a client that defers tools by itself, for an upstream that cannot; undefined for any other request. The joiner of its response
   * is made with a plan that changes nothing (`rewriteJoined`).
   */
  polyfill?(view: RequestView): Polyfilled | undefined;

  /** The searches that a request leaves to the provider, for an upstream that runs none; undefined for any other request. */
  hostedSearches?(view: RequestView): HostedSearches | undefined;
}

/** Reads the thinking in a request. */
export interface ThinkingReader {
  /** Names of the models that bind their thinking to the exact tools and messages before it. */
  readonly bindingModels: readonly RegExp[];

  /** Whether thinking is on: the request asks for it, or its history holds some. */
  isThinking(view: RequestView): boolean;

  /**
   * Whether a history holds thinking that the provider may refuse because a hidden turn around it is lost: then the request may be tried
   * again with `dropsThinking`.
   */
  holdsThinking(view: RequestView): boolean;

  /**
   * Whether a history whose thinking was refused reads like one of which hidden turns are lost, and not like one that began before its
   * tools were touched: then the provider would refuse the original as well.
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

/** How a format declares tools. */
export interface ToolDeclarations {
  /** The member of the request that declares them. */
  readonly member: string;
  /** A tool as JSON of an entry, to stand in this section. */
  writeTool(tool: AddedTool, section: ToolSection | undefined): string;
  /** These entries as the whole value of the member, where the request has none. */
  writeSection(entries: string): string;
}

/** A tool that a request is given. */
export interface AddedTool {
  readonly name: string;
  readonly description: string;
  /** A JSON schema of an object. */
  readonly parameters: JsonObject;
}

/**
 * Searches that the client leaves to the provider, in whose place the proxy answers them: its client sees them as the provider's own, and sends them back.
 *
 * Contract: pure, as the format; everything follows from the request.
 */
export interface HostedSearches {
  /** What the first request defers and shows. The calls that the proxy answers are those of its `offered`; none where only the history has some. */
  readonly plan: Plan;
  /** Searches of the last turn that have no result yet: their results begin the response. */
  readonly open: readonly SearchCall[];
  /** Values that lists in the client's headers must not have upstream. */
  readonly removedHeaders: readonly HeaderValue[];
  queryOf(call: SearchCall): HostedQuery;
  /** The parts of the format that differ in this exchange, the open searches answered with these. */
  answering(results: readonly SearchResult[]): {
    readonly editing: RequestEditor;
    readonly joining: ResponseJoining;
  };
}
