import type { CallOutcome, CallRecord } from '@winnow/mcp';

/** Statistics of the calls of one tool, on this instance since it started. */
export interface ToolCallStatistics {
  readonly calls: number;
  readonly outcomes: Readonly<Partial<Record<CallOutcome, number>>>;
  readonly totalMs: number;
  readonly maxMs: number;
  /** Characters of results as JSON. */
  readonly resultChars: number;
}

/** Most counted tools; the most recently called ones are kept. */
const MAX_TOOLS = 10_000;

const NONE: ToolCallStatistics = { calls: 0, outcomes: {}, totalMs: 0, maxMs: 0, resultChars: 0 };

/** Counts calls by tool, in bounded memory. Holds no argument and no result. */
export class CallStatistics {
  /** In the order in which they were called last. */
  readonly #byId = new Map<string, ToolCallStatistics>();

  count({ id, outcome, durationMs, resultChars }: CallRecord): void {
    if (id === undefined) return;
    const before = this.#byId.get(id) ?? NONE;
    this.#byId.delete(id);
    this.#byId.set(id, {
      calls: before.calls + 1,
      outcomes: { ...before.outcomes, [outcome]: (before.outcomes[outcome] ?? 0) + 1 },
      totalMs: before.totalMs + durationMs,
      maxMs: Math.max(before.maxMs, durationMs),
      resultChars: before.resultChars + resultChars,
    });
    if (this.#byId.size > MAX_TOOLS) this.#byId.delete(this.#byId.keys().next().value!);
  }

  /** All of them, the most called first, then by id. */
  all(): readonly (readonly [id: string, ToolCallStatistics])[] {
    return [...this.#byId].sort(([a, left], [b, right]) => right.calls - left.calls || (a < b ? -1 : 1));
  }
}
