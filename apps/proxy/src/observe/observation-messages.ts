import type { KeyObject } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { EmbedderEvent } from '../search/open-local-meaning.ts';
import type { ObservationOrder, Observed } from './observation-order.ts';

/** What the observing thread is started with. */
export interface ObservationThreadData {
  readonly config: Config;
  readonly sessionSecret: KeyObject;
}

/** To the thread: an exchange to observe. The response's bytes are moved, not copied. */
export interface ObservationRequest {
  readonly id: number;
  readonly order: ObservationOrder;
}

/** From the thread. */
export type ObservationReply =
  | { readonly kind: 'observed'; readonly id: number; readonly observed: Observed }
  | { readonly kind: 'failed'; readonly id: number; readonly error: unknown }
  /** A defect that was lived with, to be logged. */
  | { readonly kind: 'defect'; readonly error: unknown }
  /** Vectors have stopped coming to its searches, or come again. */
  | { readonly kind: 'embedder'; readonly event: EmbedderEvent };
