/**
 * A model that turns texts into vectors.
 *
 * Contract: `embed` is safe to call concurrently, takes 1 to `batchSize` texts, and returns as many unchecked
 * vectors in the same order. It rejects with an `EmbeddingError`, soon after `signal` aborts at the latest.
 * It may be called again after a rejection. After `close` it always rejects.
 */
export interface Embedder {
  /** Maximum number of texts per call. */
  readonly batchSize: number;
  embed(texts: readonly string[], call: EmbedCall): Promise<readonly ArrayLike<unknown>[]>;
  close(): Promise<void>;
}

export interface EmbedCall {
  readonly signal: AbortSignal;
  /** Whether a search waits for the call, which then goes first. */
  readonly isUrgent: boolean;
}
