import type { Interruption } from './interruption.ts';

/** One server-sent event before it is encoded. */
export interface SseEvent {
  readonly type: 'event';
  /** The value of the `event:` line. Without it, there is no such line. */
  readonly event?: string;
  /** A single line. */
  readonly data: string;
}

/** An element of a format's stream: an event, or an interruption between events. */
export type StreamItem = SseEvent | Interruption;
