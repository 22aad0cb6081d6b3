import type { ExchangeRecord, SearchRecord } from '@winnow/contract';
import { wholeUs } from './whole-us.ts';

/** Maximum length of a text, in characters: clients make up the names of models and tools. */
const MAX_TEXT_CHARS = 1_000;

/** Length that few lines exceed; only longer lines are checked for long texts. */
const COMMON_LINE_CHARS = 8_192;

const TIMES = ['planMs', 'sessionMs', 'searchMs', 'hiddenRoundsMs', 'addedMs', 'totalMs'] as const;

/**
 * Returns a record as a line of JSON with its line feed. Times are in whole microseconds, and texts are cut
 * at 1,000 characters.
 */
export function recordLine(record: ExchangeRecord): string {
  const rounded = isRounded(record) ? record : roundTimes(record);
  const line = JSON.stringify(rounded);
  return `${line.length <= COMMON_LINE_CHARS ? line : JSON.stringify(rounded, cutText)}\n`;
}

/**
 * Whether all times are rounded already. Records are folded with rounded times; only those of searches are
 * not. A copy costs as much as the line itself.
 */
function isRounded(record: ExchangeRecord): boolean {
  const { searches, observation } = record;
  return (
    searches.length === 0 &&
    observation === undefined &&
    TIMES.every((time) => record[time] === wholeUs(record[time]))
  );
}

function roundTimes(record: ExchangeRecord): ExchangeRecord {
  const rounded = { ...record, searches: record.searches.map(roundSearch) };
  for (const time of TIMES) rounded[time] = wholeUs(record[time]);
  const { observation } = record;
  if (observation?.search) rounded.observation = { ...observation, search: roundSearch(observation.search) };
  return rounded;
}

function roundSearch(search: SearchRecord): SearchRecord {
  return { ...search, ms: wholeUs(search.ms) };
}

function cutText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_CHARS) : value;
}
