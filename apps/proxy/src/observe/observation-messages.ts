import type { KeyObject } from 'node:crypto';
import type { Config } from '../config/config.ts';
import type { EmbedderEvent } from '../search/open-local-meaning.ts';
import type { ObservationOrder, Observed } from './observation-order.ts';

/** The initial data of the observing thread. */
export interface ObservationThreadData {
  readonly config: Config;
  readonly sessionSecret: KeyObject;
}

/** Sent to the thread when settings have changed. */
export interface ChangedSettings {
  readonly config: Config;
}

/** Sent to the thread: an exchange to observe. The response's bytes are transferred, not copied. */
export interface ObservationRequest {
  readonly id: number;
  readonly order: ObservationOrder;
}

/** Sent by the thread. */
export type ObservationReply =
  | { readonly kind: 'observed'; readonly id: number; readonly observed: Observed }
  | { readonly kind: 'failed'; readonly id: number; readonly error: unknown }
  /** A defect that the thread survived, to be logged. */
  | { readonly kind: 'defect'; readonly error: unknown }
  /** The embedder of its searches has stopped or resumed working. */
  | { readonly kind: 'embedder'; readonly event: EmbedderEvent };
