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

/** Reasons for missing vectors. */
export const EMBEDDING_FAILURES = {
  /** The connection failed or broke. */
  unreachable: 'The endpoint cannot be reached.',
  /** The endpoint responds with an error that may be temporary. */
  unavailable: 'The endpoint responds with an error.',
  /** The endpoint rejects these texts, this model or this key. */
  refused: 'The endpoint refuses the request.',
  /** The vectors did not arrive in time. */
  slow: 'The vectors do not arrive in time.',
  /** A wrong number of vectors or dimensions, or values that are not numbers. */
  invalid_response: 'The response does not contain vectors of this model.',
  /** The local model exited or could not be loaded. */
  model_lost: 'The local model has failed.',
  /** The address, the folder or the libraries are unusable. Thrown when an embedder is opened. */
  not_usable: 'The embedder cannot be used.',
} as const;

export type EmbeddingFailure = keyof typeof EMBEDDING_FAILURES;

/** The only error of this package. Messages contain no texts and no keys. */
export class EmbeddingError extends Error {
  readonly code: EmbeddingFailure;

  constructor(code: EmbeddingFailure, detail?: string, options?: ErrorOptions) {
    super(detail ?? EMBEDDING_FAILURES[code], options);
    this.name = 'EmbeddingError';
    this.code = code;
  }
}
