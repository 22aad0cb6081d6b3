import type { ExchangeRecord, SearchRecord } from '@winnow/contract';

/** Clients make up the names of models and tools: one that is longer than this is cut. */
const MAX_TEXT_CHARS = 1_000;

/** Hardly any record is longer; only those that are get a closer look. */
const COMMON_LINE_CHARS = 8_192;

const TIMES = ['planMs', 'sessionMs', 'searchMs', 'hiddenRoundsMs', 'addedMs', 'totalMs'] as const;

/** A record as a line of JSON, with its line feed. Times are in whole microseconds, and texts are cut at 1,000 characters. */
export function recordLine(record: ExchangeRecord): string {
  const rounded = roundTimes(record);
  const line = JSON.stringify(rounded);
  return `${line.length <= COMMON_LINE_CHARS ? line : JSON.stringify(rounded, cutText)}\n`;
}

function roundTimes(record: ExchangeRecord): ExchangeRecord {
  const rounded = { ...record, searches: record.searches.map(roundSearch) };
  for (const time of TIMES) rounded[time] = round(record[time]);
  const { observation } = record;
  if (observation?.search) rounded.observation = { ...observation, search: roundSearch(observation.search) };
  return rounded;
}

function roundSearch(search: SearchRecord): SearchRecord {
  return { ...search, ms: round(search.ms) };
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

function cutText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_CHARS) : value;
}
