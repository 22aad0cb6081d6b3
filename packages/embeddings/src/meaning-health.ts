import { CircuitBreaker } from '@winnow/service';
import type { EmbeddingFailure } from './embedding-error.ts';

export type MeaningState =
  | { readonly kind: 'working' }
  | { readonly kind: 'failing'; readonly reason: EmbeddingFailure; readonly cause?: unknown };

export const BREAKER = { failures: 3, openMs: 5_000 };

/** The health of the embedder; reports each change once. */
export class MeaningHealth {
  /** Circuit breaker for calls. */
  readonly calls: CircuitBreaker;
  /** Circuit breaker for waiting on query vectors: if they always arrive too late, searches stop waiting. */
  readonly patience: CircuitBreaker;
  readonly #onChange: (state: MeaningState) => void;
  #failure: EmbeddingFailure | undefined;

  constructor(now: () => number, onChange: (state: MeaningState) => void) {
    this.calls = new CircuitBreaker({ ...BREAKER, now });
    this.patience = new CircuitBreaker({ ...BREAKER, now });
    this.#onChange = onChange;
  }

  /** The latest reason why vectors have stopped arriving; undefined while they arrive. */
  get failure(): EmbeddingFailure | undefined {
    return this.#failure;
  }

  tell(state: MeaningState): void {
    const failure = state.kind === 'failing' ? state.reason : undefined;
    const isChange = (failure === undefined) !== (this.#failure === undefined);
    this.#failure = failure;
    if (isChange) this.#onChange(state);
  }
}
