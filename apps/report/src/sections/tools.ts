import { type StoredRecord, type TokenUsage, toolTokens, totalUsage } from '@winnow/core';
import { countsTally } from '../counting/spread.ts';
import { isGood, isRead, resultsOf, TallyByArm } from '../counting/tallies.ts';

/** The tokens of tools, estimated from their bytes. */
export interface Tokens {
  readonly before: number;
  readonly after: number;
}

/** The tools of one kind of exchange, and their treatment. */
export type ToolUse = ReturnType<ToolUseTally['result']>;

/** The upper ends of the classes of tools per request; the last class has none. */
const SIZE_ENDS = [0, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** The largest number of names and globs of `always_keep` that are followed. */
const MAX_PATTERNS = 1_000;

/** Gathers tools and their cost. Requests that were not read, in arm `off` or with a dropped observation, count for usage only. */
export class ToolsTally {
  readonly #changed = new ToolUseTally();
  readonly #watched = new ToolUseTally();
  /** By name or glob of `always_keep`. */
  readonly #hasKept = new Map<string, boolean>();
  readonly #usage = new TallyByArm(() => new UsageTally());

  add(record: StoredRecord): void {
    this.#addKept(record.alwaysKeep ?? {});
    if (isRead(record)) (record.arm === 'full' ? this.#changed : this.#watched).add(record);
    const usage = totalUsage(record.usage);
    if (usage !== undefined) this.#usage.of(record).add(usage);
  }

  result() {
    return {
      /** Arm `full`: what happened. */
      changed: this.#changed.result(),
      /** Arms `dark` and `shadow`: what would have happened in the first request. */
      watched: this.#watched.result(),
      usage: this.#usage.result(),
      /** Names and globs of `always_keep` that fit no tool of any request, in the order of the setting. */
      keepingNothing: [...this.#hasKept].flatMap(([pattern, hasKept]) => (hasKept ? [] : pattern)),
    };
  }

  #addKept(alwaysKeep: Readonly<Record<string, number>>): void {
    for (const [pattern, count] of Object.entries(alwaysKeep)) {
      if (this.#hasKept.size >= MAX_PATTERNS && !this.#hasKept.has(pattern)) return;
      this.#hasKept.set(pattern, count > 0 || this.#hasKept.get(pattern) === true);
    }
  }
}

/** The usage that the upstream itself counted, summed over the exchanges that report it. */
class UsageTally {
  readonly #sum = { exchanges: 0, inputTokens: 0, outputTokens: 0 };

  add({ inputTokens, outputTokens }: TokenUsage): void {
    this.#sum.exchanges++;
    this.#sum.inputTokens += inputTokens;
    this.#sum.outputTokens += outputTokens;
  }

  result() {
    return this.#sum;
  }
}

class ToolUseTally {
  readonly #tallies = {
    /** Per exchange that has tools. */
    total: countsTally(),
    /** Per exchange that deferred, as are the next two. */
    kept: countsTally(),
    deferred: countsTally(),
    loaded: countsTally(),
  };
  readonly #sizes = new Array<number>(SIZE_ENDS.length + 1).fill(0);
  readonly #tokens = { before: 0, after: 0 };
  readonly #deferringTokens = { before: 0, after: 0 };
  readonly #leftAlone = { exchanges: 0, freedTokens: 0, bill: 0 };
  #exchanges = 0;
  #deferring = 0;
  #good = 0;
  #goodDeferring = 0;

  add(record: StoredRecord): void {
    const { tools } = record;
    const { total, kept, deferred, loaded } = this.#tallies;
    this.#exchanges++;
    // An agent that the bill leaves alone is no missing saving.
    if (record.planReason === 'few_savings') this.#addLeftAlone(record);
    else if (isGood(record)) this.#addTokens(record);
    this.#sizes[sizeClass(tools.total)]! += 1;
    if (tools.total > 0) total.add(tools.total);
    if (tools.deferred === 0) return;
    this.#deferring++;
    kept.add(tools.total - tools.deferred);
    deferred.add(tools.deferred);
    loaded.add(tools.loaded);
  }

  result() {
    return {
      /** Exchanges whose request was read; the tools of the others are unknown. */
      exchanges: this.#exchanges,
      /** Exchanges in which at least one tool was deferred, or would have been. */
      deferring: this.#deferring,
      ...resultsOf(this.#tallies),
      /** Exchanges that ended well: a failed exchange saves nothing, as its client sends it again. */
      good: this.#good,
      goodDeferring: this.#goodDeferring,
      /** Over the exchanges that ended well and were not left alone because of the expected bill. */
      tokens: this.#tokens,
      /** Over the exchanges that ended well and deferred. */
      deferringTokens: this.#deferringTokens,
      /** Exchanges left alone because of the expected bill, with sums of what deferring was expected to free and to cost. */
      leftAlone: this.#leftAlone,
      /** The number of exchanges by their number of tools. */
      sizes: this.#sizes.map((count, index) => ({ label: sizeLabel(index), count })),
    };
  }

  #addLeftAlone({ expected }: StoredRecord): void {
    if (expected === undefined) return;
    this.#leftAlone.exchanges++;
    this.#leftAlone.freedTokens += expected.freedTokens;
    this.#leftAlone.bill += expected.bill;
  }

  #addTokens({ tools, toolBytes }: StoredRecord): void {
    this.#good++;
    addTokens(this.#tokens, toolBytes);
    if (tools.deferred === 0) return;
    this.#goodDeferring++;
    addTokens(this.#deferringTokens, toolBytes);
  }
}

function addTokens(sum: { before: number; after: number }, bytes: StoredRecord['toolBytes']): void {
  sum.before += toolTokens(bytes.before);
  sum.after += toolTokens(bytes.after);
}

function sizeClass(total: number): number {
  const index = SIZE_ENDS.findIndex((end) => total <= end);
  return index === -1 ? SIZE_ENDS.length : index;
}

function sizeLabel(index: number): string {
  const before = SIZE_ENDS[index - 1];
  const end = SIZE_ENDS[index];
  if (before === undefined) return 'none';
  return end === undefined ? `>${before}` : `≤${end}`;
}

/** Returns the share of tokens saved, negative when more are used; undefined when there were none. */
export function savedShare({ before, after }: Tokens): number | undefined {
  return before === 0 ? undefined : 1 - after / before;
}
