import { RolloutArm, type StoredRecord } from '@winnow/core';
import { TimeBuckets } from '../counting/time-buckets.ts';
import { isFailure } from './fallbacks.ts';
import { isGood } from './is-good.ts';
import { judgeCalls } from './watching.ts';

/** Counts over a stretch of time. */
type Content = ReturnType<typeof noContent>;

/** A stretch of time; `start` is ISO 8601. */
export type TimelineEntry = { readonly start: string } & Readonly<Content>;

/** The period in equal stretches. */
export interface Timeline {
  readonly widthMs: number;
  readonly entries: readonly TimelineEntry[];
}

/** Maximum number of periods that a plot can show separately; a day has 96 quarters of an hour. */
const MOST_ENTRIES = 100;

/** Gathers a `Timeline`. */
export class TimelineTally {
  readonly #buckets = new TimeBuckets<Content>({ empty: noContent, join: addContent }, MOST_ENTRIES);

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

/** Returns the tokens of tools before and after, estimated; a failed exchange saves nothing and has none. */
function tokensOf(record: StoredRecord): readonly [before: number, after: number] {
  const { estimatedTokensBefore, estimatedTokensAfter } = record.toolBytes;
  return isGood(record) ? [estimatedTokensBefore, estimatedTokensAfter] : [0, 0];
}

function addJudgement(content: Content, { observation }: StoredRecord): void {
  if (observation === undefined) return;
  const calls = judgeCalls(observation);
  if (typeof calls === 'string') return;
  content.judged++;
  if (calls.missed.length > 0) content.missed++;
}

/** Returns counts of nothing. */
export function noContent() {
  return {
    arms: { off: 0, dark: 0, shadow: 0, full: 0 },
    /** Estimated tokens of tools in arm `full`. */
    tokensBefore: 0,
    tokensAfter: 0,
    /** Estimated tokens of tools in the arms `dark` and `shadow`, as they would have been. */
    watchedTokensBefore: 0,
    watchedTokensAfter: 0,
    /** Searches of models in arm `full`. */
    searches: 0,
    failedSearches: 0,
    /** Watched exchanges whose calls could be judged. */
    judged: 0,
    /** Judged exchanges that would have missed a tool. */
    missed: 0,
  };
}

/** Adds the counts of one stretch to those of another. */
export function addContent(into: Content, { arms, ...sums }: Readonly<Content>): void {
  for (const arm of RolloutArm.options) into.arms[arm] += arms[arm];
  for (const key of SUMS) into[key] += sums[key];
}

const { arms: _, ...EMPTY_SUMS } = noContent();
const SUMS = Object.keys(EMPTY_SUMS) as (keyof typeof EMPTY_SUMS)[];
