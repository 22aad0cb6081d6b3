import type { Gate } from './gate.ts';

/** Delivery of a response's bytes. */
export interface Delivery {
  /** Gate that must open before status and headers are sent. */
  readonly headersAfter?: Gate;
  /**
   * Positions at which the body is cut into chunks: at its events (default), at every byte, or at these byte
   * offsets of the body as sent. A stall or the end flushes the bytes so far.
   */
  readonly cut?: 'events' | 'bytes' | readonly number[];
  /** `\n` by default. The SSE specification allows three line ends. */
  readonly lineEnd?: '\n' | '\r\n' | '\r';
  /** Text before every event: a comment line, or the format's keep-alive. */
  readonly before?: 'comment' | 'ping';
  /** Whether to compress the body, flushed at every event, with a `content-encoding` header. */
  readonly isGzipped?: boolean;
  /** Whether to omit the blank line after the last event of a stream. */
  readonly hasNoFinalBlankLine?: boolean;
  /** Number of bytes after which the body ends, or the connection is destroyed. */
  readonly truncate?: { readonly afterBytes: number; readonly by: 'end' | 'destroy' };
}
