import type { Gate } from './gate.ts';

/** How the bytes of an answer travel. */
export interface Delivery {
  /** Status and headers are not sent before this gate opens. */
  readonly headersAfter?: Gate;
  /**
   * Where the body is cut into chunks: at its events (default), at every byte, or at exactly these positions, counted in bytes as
   * they are sent. A stall or the end sends what is there.
   */
  readonly cut?: 'events' | 'bytes' | readonly number[];
  /** `\n` by default. The SSE specification knows all three. */
  readonly lineEnd?: '\n' | '\r\n' | '\r';
  /** What stands before every event: a comment line, or the format's sign of life. */
  readonly before?: 'comment' | 'ping';
  /** Compresses the body, flushed at every event, and says so in `content-encoding`. */
  readonly isGzipped?: boolean;
  /** The last event of a stream is not followed by its blank line. */
  readonly hasNoFinalBlankLine?: boolean;
  /** Only so many bytes are sent, then the body ends, or the connection is destroyed. */
  readonly truncate?: { readonly afterBytes: number; readonly by: 'end' | 'destroy' };
}
