import type { BodyItem } from './encode-events.ts';

/** A response that is ready to be sent. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks, read only as fast as the client takes them. */
  readonly body: Iterable<BodyItem>;
}
