import type { RolloutArm, StoredRecord } from '@winnow/contract';
import { countsTally, type Spread } from '../counting/spread.ts';
import { isGood } from './is-good.ts';
import { isRead } from './is-read.ts';

/** Tokens that tools take, estimated from their bytes. */
export interface Tokens {
  readonly before: number;
  readonly after: number;
}

/** What became of the tools of one kind of exchanges. */
export interface ToolUse {
  /** Those whose request was read: of the others nobody knows what tools they had. */
  readonly exchanges: number;
  /** Exchanges in which at least one tool was deferred, or would have been. */
  readonly deferring: number;
  /** Per exchange that has tools. */
  readonly total: Spread;
  /** Per exchange that deferred. */
  readonly kept: Spread;
  readonly deferred: Spread;
  readonly loaded: Spread;
  /** Per exchange whose searches were answered: what they made visible first. Those in which a search failed and showed everything are left out. */
  readonly newlyLoaded: Spread;
  /** Of `exchanges` and of `deferring`, those that ended well: a failed exchange saves nothing, as its client sends it again. */
  readonly good: number;
  readonly goodDeferring: number;
  /** Over the exchanges that ended well, and over those of them that deferred. */
  readonly tokens: Tokens;
  readonly deferringTokens: Tokens;
  /** How many exchanges came with how many tools. */
  readonly sizes: readonly { readonly label: string; readonly count: number }[];
}

/** What the upstream itself counted, summed over the exchanges for which it did. */
export interface UpstreamUsage {
  readonly exchanges: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Tools and what they cost. */
export interface Tools {
  /** Arm `full`: what happened. */
  readonly changed: ToolUse;
  /** Arms `dark` and `shadow`: what would have happened in the first request. */
  readonly watched: ToolUse;
  readonly usage: Readonly<Partial<Record<RolloutArm, UpstreamUsage>>>;
  /** Names and globs of `always_keep` that no tool of any request fitted, in the order of the setting. */
  readonly keepingNothing: readonly string[];
}

/** Upper ends of the classes of tools per request; the last class has none. */
const SIZE_ENDS = [0, 5, 10, 25, 50, 100, 250, 500, 1_000];

/** Names and globs of `always_keep` that are followed. */
const MAX_PATTERNS = 1_000;

/** Gathers `Tools`. Requests that were not read, as in arm `off` or where the observation was dropped, count for usage only. */
export class ToolsTally {
  readonly #changed = new ToolUseTally();
  readonly #watched = new ToolUseTally();
  /** By name or glob of `always_keep`. */
  readonly #hasKept = new Map<string, boolean>();
  readonly #usage = new Map<RolloutArm, { exchanges: number; inputTokens: number; outputTokens: number }>();

  add(record: StoredRecord): void {
    this.#addKept(record.alwaysKeep ?? {});
    if (isRead(record)) (record.arm === 'full' ? this.#changed : this.#watched).add(record);
    if (record.usage === undefined) return;
    const sum = this.#usage.get(record.arm) ?? { exchanges: 0, inputTokens: 0, outputTokens: 0 };
    sum.exchanges++;
    sum.inputTokens += record.usage.inputTokens;
    sum.outputTokens += record.usage.outputTokens;
    this.#usage.set(record.arm, sum);
  }

  result(): Tools {
    return {
      changed: this.#changed.result(),
      watched: this.#watched.result(),
      usage: Object.fromEntries(this.#usage),
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

class ToolUseTally {
  readonly #total = countsTally();
  readonly #kept = countsTally();
  readonly #deferred = countsTally();
  readonly #loaded = countsTally();
  readonly #newlyLoaded = countsTally();
  readonly #sizes = new Array<number>(SIZE_ENDS.length + 1).fill(0);
  readonly #tokens = { before: 0, after: 0 };
  readonly #deferringTokens = { before: 0, after: 0 };
  #exchanges = 0;
  #deferring = 0;
  #good = 0;
  #goodDeferring = 0;

  add(record: StoredRecord): void {
    const { tools } = record;
    this.#exchanges++;
    if (isGood(record)) this.#addTokens(record);
    this.#sizes[sizeClass(tools.total)]! += 1;
    if (tools.total > 0) this.#total.add(tools.total);
    if (tools.deferred === 0) return;
    this.#deferring++;
    this.#kept.add(tools.kept);
    this.#deferred.add(tools.deferred);
    this.#loaded.add(tools.loaded);
    if (record.newlyLoaded?.restored === 0) this.#newlyLoaded.add(record.newlyLoaded.found);
  }

  result(): ToolUse {
    return {
      exchanges: this.#exchanges,
      deferring: this.#deferring,
      total: this.#total.result(),
      kept: this.#kept.result(),
      deferred: this.#deferred.result(),
      loaded: this.#loaded.result(),
      newlyLoaded: this.#newlyLoaded.result(),
      good: this.#good,
      goodDeferring: this.#goodDeferring,
      tokens: { ...this.#tokens },
      deferringTokens: { ...this.#deferringTokens },
      sizes: this.#sizes.map((count, index) => ({ label: sizeLabel(index), count })),
    };
  }

  #addTokens({ tools, toolBytes }: StoredRecord): void {
    this.#good++;
    addTokens(this.#tokens, toolBytes);
    if (tools.deferred === 0) return;
    this.#goodDeferring++;
    addTokens(this.#deferringTokens, toolBytes);
  }
}

function addTokens(
  sum: { before: number; after: number },
  { estimatedTokensBefore, estimatedTokensAfter }: StoredRecord['toolBytes'],
): void {
  sum.before += estimatedTokensBefore;
  sum.after += estimatedTokensAfter;
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

/** The share of tokens that is saved, negative when more are used; undefined when there were none. */
export function savedShare({ before, after }: Tokens): number | undefined {
  return before === 0 ? undefined : 1 - after / before;
}
