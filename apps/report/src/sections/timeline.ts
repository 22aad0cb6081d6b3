import { RolloutArm, type StoredRecord } from '@winnow/contract';
import { TimeBuckets } from '../counting/time-buckets.ts';
import { isFailure } from './fallbacks.ts';
import { isGood } from './is-good.ts';
import { judgeCalls } from './watching.ts';

/** What happened in one stretch of time. */
export interface TimelineEntry {
  /** ISO 8601. */
  readonly start: string;
  readonly arms: Readonly<Record<RolloutArm, number>>;
  /** Estimated tokens of tools in arm `full`. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What they would have been in the arms `dark` and `shadow`. */
  readonly watchedTokensBefore: number;
  readonly watchedTokensAfter: number;
  /** The models' searches in arm `full`, and those among them that failed. */
  readonly searches: number;
  readonly failedSearches: number;
  /** Watched exchanges whose calls could be judged, and those among them that would have missed a tool. */
  readonly judged: number;
  readonly missed: number;
}

/** The period in equal stretches. */
export interface Timeline {
  readonly widthMs: number;
  readonly entries: readonly TimelineEntry[];
}

type Content = { -readonly [Key in Exclude<keyof TimelineEntry, 'start' | 'arms'>]: number } & {
  arms: Record<RolloutArm, number>;
};

/** Stretches at most: as many as can be told apart in a plot; a day makes 96 of a quarter of an hour. */
const MOST_ENTRIES = 100;

/** Estimated tokens of tools before and after; none of an exchange that failed, which saves nothing. */
function tokensOf(record: StoredRecord): readonly [before: number, after: number] {
  const { estimatedTokensBefore, estimatedTokensAfter } = record.toolBytes;
  return isGood(record) ? [estimatedTokensBefore, estimatedTokensAfter] : [0, 0];
}

/** Gathers a `Timeline`. */
export class TimelineTally {
  readonly #buckets = new TimeBuckets<Content>({ empty, join }, MOST_ENTRIES);

  add(record: StoredRecord): void {
    const content = this.#buckets.at(Date.parse(record.time));
    content.arms[record.arm]++;
    const [before, after] = tokensOf(record);
    if (record.arm === 'full') {
      content.tokensBefore += before;
      content.tokensAfter += after;
      const asked = record.searches.filter(({ outcome }) => outcome !== 'client_gone');
      content.searches += asked.length;
      content.failedSearches += asked.filter(({ outcome }) => isFailure(outcome)).length;
    } else if (record.arm !== 'off') {
      content.watchedTokensBefore += before;
      content.watchedTokensAfter += after;
      addJudgement(content, record);
    }
  }

  result(): Timeline {
    const entries = this.#buckets
      .result()
      .map(({ start, content }) => ({ start: new Date(start).toISOString(), ...content }));
    return { widthMs: this.#buckets.widthMs, entries };
  }
}

function addJudgement(content: Content, { observation }: StoredRecord): void {
  if (observation === undefined) return;
  const calls = judgeCalls(observation);
  if (typeof calls === 'string') return;
  content.judged++;
  if (calls.missed.length > 0) content.missed++;
}

function empty(): Content {
  return {
    arms: { off: 0, dark: 0, shadow: 0, full: 0 },
    tokensBefore: 0,
    tokensAfter: 0,
    watchedTokensBefore: 0,
    watchedTokensAfter: 0,
    searches: 0,
    failedSearches: 0,
    judged: 0,
    missed: 0,
  };
}

function join(into: Content, from: Content): void {
  for (const arm of RolloutArm.options) into.arms[arm] += from.arms[arm];
  into.tokensBefore += from.tokensBefore;
  into.tokensAfter += from.tokensAfter;
  into.watchedTokensBefore += from.watchedTokensBefore;
  into.watchedTokensAfter += from.watchedTokensAfter;
  into.searches += from.searches;
  into.failedSearches += from.failedSearches;
  into.judged += from.judged;
  into.missed += from.missed;
}
