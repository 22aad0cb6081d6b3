import { CircuitBreaker } from '@winnow/service';
import type { Letta } from '../letta/letta-client.ts';
import { LettaFailure } from '../letta/read-answers.ts';

export interface LettaRankingOptions {
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  /** Called once when ranking begins to fail, and once when it works again. */
  readonly onChange: (change: RankingChange) => void;
}

export type RankingChange =
  | { readonly isWorking: true }
  | { readonly isWorking: false; readonly reason: string };

/** The pause after a failure, in milliseconds. */
const REST_MS = 30_000;

/**
 * Ranks tools with Letta's own search (`rank_with: letta`). It needs a hosted vector store: a server without
 * one refuses every search.
 *
 * After a failure, there is no ranking for this request and for the next half minute; then one request tries
 * again.
 */
export class LettaRanking {
  readonly #breaker: CircuitBreaker;
  readonly #onChange: LettaRankingOptions['onChange'];
  #isWorking = true;

  constructor({ now, onChange }: LettaRankingOptions) {
    this.#breaker = new CircuitBreaker({ failures: 1, openMs: REST_MS, now });
    this.#onChange = onChange;
  }

  /** Ids of tools, best first, or undefined when Letta does not rank: it fails, or finds nothing, as where its tools were never embedded. Never rejects. */
  async rank(
    query: string,
    limit: number,
    { letta, signal }: { readonly letta: Letta; readonly signal: AbortSignal },
  ): Promise<readonly string[] | undefined> {
    if (!this.#breaker.admit()) return undefined;
    try {
      const ids = await letta.searchTools(query, limit, signal);
      this.#breaker.succeed();
      if (!this.#isWorking) this.#onChange({ isWorking: true });
      this.#isWorking = true;
      return ids.length === 0 ? undefined : ids;
    } catch (error) {
      this.#breaker.fail();
      const reason = error instanceof LettaFailure ? error.reason : 'internal';
      if (this.#isWorking) this.#onChange({ isWorking: false, reason });
      this.#isWorking = false;
      return undefined;
    }
  }
}
