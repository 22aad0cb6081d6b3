import {
  type Learned,
  learnedText,
  type Suggestions,
  suggestionsText,
  type TextPart,
} from '@winnow/learning';
import type { Settings } from '../config/config.ts';
import { recordFiles, suggestOnThread } from '../learning/read-on-thread.ts';

/** The page's knowledge of learning, in words. */
export interface PageLearning {
  /** Returns what is applied; undefined if learning is off. */
  applied(): TextPart | undefined;
  /** Returns what the records suggest. Rejects if they cannot be read. */
  suggestions(): Promise<TextPart>;
}

/** Dependencies of {@link pageLearning}. */
export interface PageLearningOptions {
  /** Returns the state that is applied now; undefined if learning is off. */
  readonly learned: () => Learned | undefined;
  readonly wallClock: () => number;
  /** Makes suggestions from files of records, the oldest first. */
  readonly suggest?: (files: readonly string[]) => Promise<readonly Suggestions[]>;
}

/** Time for which suggestions hold, in milliseconds: reading records costs seconds of another thread. */
const HOLD_MS = 60_000;

/**
 * Creates the page's view of learning. Only one thread at a time reads the records, regardless of the number of
 * viewers.
 */
export function pageLearning(
  settings: Settings,
  { learned, wallClock, suggest = suggestOnThread }: PageLearningOptions,
): PageLearning {
  const withContent = settings['records.query_text'];
  const read = async () => {
    const suggestions = await suggest(recordFiles(settings));
    return suggestionsText(withContent ? suggestions : suggestions.map(withoutWords));
  };
  let held: { readonly part: Promise<TextPart>; until: number } | undefined;
  return {
    applied() {
      const current = learned();
      return current && learnedText(current, { file: settings['learning.file'], withContent });
    },
    suggestions() {
      if (settings['records.file'] === 'none') return Promise.resolve(NO_RECORDS);
      if (held !== undefined && wallClock() < held.until) return held.part;
      const part = read();
      const holding = { part, until: Number.POSITIVE_INFINITY };
      held = holding;
      const release = (holdMs: number) => () => {
        holding.until = wallClock() + holdMs;
      };
      part.then(release(HOLD_MS), release(0));
      return part;
    },
  };
}

const NO_RECORDS: TextPart = {
  title: 'Suggestions',
  sentences: ['Suggestions need records, and records.file is none.'],
  tables: [],
};

/** Returns suggestions without words of users and models: records may be from a time when these were recorded. */
function withoutWords(one: Suggestions): Suggestions {
  return { ...one, words: [], unanswered: one.unanswered.map(({ hash, support }) => ({ hash, support })) };
}
