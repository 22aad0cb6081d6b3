/**
 * Something that turns texts into the numbers of a model.
 *
 * Contract: `embed` is safe to call concurrently, takes 1 to `batchSize` texts, and gives as many vectors in their order, not yet checked. It rejects with an
 * `EmbeddingError`, at the latest soon after `signal` aborts. After a rejection it may be called again. After `close` it always rejects.
 */
export interface Embedder {
  /** Most texts for one call. */
  readonly batchSize: number;
  embed(texts: readonly string[], call: EmbedCall): Promise<readonly ArrayLike<unknown>[]>;
  close(): Promise<void>;
}

export interface EmbedCall {
  readonly signal: AbortSignal;
  /** A search waits for it, so that it goes first. */
  readonly isUrgent: boolean;
}
