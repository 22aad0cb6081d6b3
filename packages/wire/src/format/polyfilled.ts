import type { WireEvent } from '../framing/wire-event.ts';

/**
 * A request of a client that defers tools by itself, as an upstream takes it that knows nothing of that, and the way back of its response.
 *
 * Contract: everything follows from the request alone, so that equal requests give equal bytes, and a longer history keeps the tools of a
 * shorter one in front of its own: prompts stay cached.
 */
export interface Polyfilled {
  readonly body: Uint8Array;
  /** Values that lists in the client's headers must not have upstream. */
  readonly removedHeaders: readonly HeaderValue[];
  /** What the upstream says as the client would hear it from one that can defer; undefined where there is no difference. */
  readonly rewriter?: (() => ResponseRewriter) | undefined;
}

/** What a call of a search that the provider would run asks for. */
export interface HostedQuery {
  /** A regular expression, or words. */
  readonly kind: 'regex' | 'words';
  /** As the model wrote it; empty where that is no text. */
  readonly text: string;
  /** A longer one is refused. */
  readonly mostChars: number;
  /** Most tools to find. */
  readonly limit: number;
}

/** A value of a header that holds a list. */
export interface HeaderValue {
  /** In small letters. */
  readonly name: string;
  readonly value: string;
}

/** Writes the events of one response anew. */
export interface ResponseRewriter {
  /** The event as the client gets it; undefined for one that it does not get. Never throws, whatever the upstream says. */
  rewrite(event: WireEvent): WireEvent | undefined;
}
