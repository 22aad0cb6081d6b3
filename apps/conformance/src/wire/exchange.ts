import type { HeaderList } from '../formats/client-format.ts';

/** A request, exact to the byte. */
export interface WireRequest {
  readonly method: string;
  /** Includes the query string. */
  readonly path: string;
  readonly headers: HeaderList;
  /** Chunks of the body; one chunk is sent with its length, several are sent chunked. */
  readonly body: readonly Uint8Array[];
}

/** One action of the provider while it sends a body. */
export type Step =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  /** Waits until the client has the head, and everything sent so far or at least the text. */
  | { readonly type: 'seen'; readonly text?: string }
  | { readonly type: 'silence'; readonly ms: number }
  /** Breaks the connection. */
  | { readonly type: 'break' }
  /** Waits until the gateway closes the connection. */
  | { readonly type: 'hold' };

/** The provider's response, exact to the byte. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  /** Read lazily, as fast as the connection takes the bytes. */
  readonly steps: Iterable<Step>;
  /** The provider sends nothing, not even a head, until the gateway closes the connection. */
  readonly isSilent?: boolean;
  /** The provider closes the connection instead of answering. */
  readonly isRefusing?: boolean;
  /** Time before its head, in milliseconds. */
  readonly startMs?: number;
  /** An interim response, with status 103, precedes it. */
  readonly hasInterim?: boolean;
  /** The provider closes the connection behind it, without a word of that before. */
  readonly closesBehind?: boolean;
  /** Fields behind the body, which is then sent in chunks. */
  readonly trailers?: HeaderList;
  /** The body has neither a length nor chunks; the end of the connection is its end. */
  readonly endsByClosing?: boolean;
}

/**
 * The client's behaviour: it reads everything, leaves while it sends, waits or reads or once the provider is silent,
 * or stops reading until the provider has to pause.
 */
export type Mood =
  | 'reads'
  | 'leaves-sending'
  | 'leaves-waiting'
  | 'leaves-reading'
  | 'leaves-later'
  | 'stalls';

/** One request, and the provider's response to it. */
export interface Exchange {
  readonly request: WireRequest;
  readonly answer: WireAnswer | ((request: ReceivedRequest) => Promise<WireAnswer>);
  readonly mood?: Mood;
  /** Time without a request before it, in milliseconds. */
  readonly restMs?: number;
  /** Time between the two halves of the request, in milliseconds. */
  readonly pauseMs?: number;
  /** Whether a second client sends the same request at the same time. */
  readonly isTwice?: boolean;
  /** Whether the exchange only prepares the next one, and is not judged. */
  readonly isPrelude?: boolean;
}

/** A request as the provider received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** False if the connection ended before the body did. */
  readonly isComplete: boolean;
}

/** The end of a response, as the client sees it. */
export type ResponseEnd = 'complete' | 'broken' | 'left' | 'timeout' | 'no-response';

/** The client's view of a response. */
export interface ClientView {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  readonly end: ResponseEnd;
  /** The code of the error that ended it, such as `ECONNREFUSED`. */
  readonly cause: string | undefined;
}

/** Everything that was seen of one exchange on both sides of the gateway. */
export interface Seen {
  readonly client: ClientView;
  /** The view of the second client, if there is one. */
  readonly twin: ClientView | undefined;
  readonly received: readonly ReceivedRequest[];
  /** The response that the provider gave to the last request; undefined if none arrived. */
  readonly answer: WireAnswer | undefined;
  /** Whether the gateway closed the connection to the provider before the end of the response. */
  readonly isCancelled: boolean;
  /** Most bytes that the provider could send while the client did not read. */
  readonly bytesAhead: number;
  /** Waits that were in vain, in words. */
  readonly delays: readonly string[];
  /** Least time from the provider's sending of bytes to the client's receiving, in milliseconds; of four or more. */
  readonly leastDelayMs: number | undefined;
}
