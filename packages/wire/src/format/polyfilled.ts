import type { WireEvent } from '../framing/wire-event.ts';

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
