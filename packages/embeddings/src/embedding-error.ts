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
