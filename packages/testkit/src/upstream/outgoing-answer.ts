import type { BodyItem } from './encode-events.ts';

/** An answer that is ready to be sent. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Read only as fast as the client takes it. */
  readonly body: Iterable<BodyItem>;
}
