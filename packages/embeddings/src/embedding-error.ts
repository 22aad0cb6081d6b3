/** Why there are no vectors. */
export const EMBEDDING_FAILURES = {
  /** No connection, or one that broke. */
  unreachable: 'The endpoint cannot be reached.',
  /** The endpoint answers with an error that may pass. */
  unavailable: 'The endpoint answers with an error.',
  /** The endpoint will not take these texts, this model or this key. */
  refused: 'The endpoint refuses the request.',
  /** Not in time. */
  slow: 'The vectors do not come in time.',
  /** Another number of vectors or of dimensions, or something else than numbers. */
  invalid_response: 'What came are no vectors of this model.',
  /** The local model ended, or could not be loaded. */
  model_lost: 'The local model has failed.',
  /** The address, the folder or the libraries are no good. Thrown when an embedder is opened. */
  not_usable: 'The embedder cannot be used.',
} as const;

export type EmbeddingFailure = keyof typeof EMBEDDING_FAILURES;

/** The one error of this package. Messages hold no texts and no keys. */
export class EmbeddingError extends Error {
  readonly code: EmbeddingFailure;

  constructor(code: EmbeddingFailure, detail?: string, options?: ErrorOptions) {
    super(detail ?? EMBEDDING_FAILURES[code], options);
    this.name = 'EmbeddingError';
    this.code = code;
  }
}
