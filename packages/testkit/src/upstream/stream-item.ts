import type { Interruption } from './interruption.ts';

/** One server-sent event before it is bytes. */
export interface SseEvent {
  readonly type: 'event';
  /** Goes on an `event:` line. Without it there is none. */
  readonly event?: string;
  /** One line. */
  readonly data: string;
}

/** What a format writes a stream with: events, and what happens between them. */
export type StreamItem = SseEvent | Interruption;
