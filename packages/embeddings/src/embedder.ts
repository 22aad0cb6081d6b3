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
  /**
   * Whether the model has learnt the scripts of a text: vectors of other texts are noise. All, if the function
   * is missing.
   */
  knows?(text: string): boolean;
  embed(texts: readonly string[], call: EmbedCall): Promise<readonly ArrayLike<unknown>[]>;
  close(): Promise<void>;
}

export interface EmbedCall {
  readonly signal: AbortSignal;
  /** Whether a search waits for the call, which then goes first. */
  readonly isUrgent: boolean;
}
