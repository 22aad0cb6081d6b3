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
  #isFailing = false;

  constructor(now: () => number, onChange: (state: MeaningState) => void) {
    this.calls = new CircuitBreaker({ ...BREAKER, now });
    this.patience = new CircuitBreaker({ ...BREAKER, now });
    this.#onChange = onChange;
  }

  /** Whether vectors have stopped arriving. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  tell(state: MeaningState): void {
    const isFailing = state.kind === 'failing';
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    this.#onChange(state);
  }
}
