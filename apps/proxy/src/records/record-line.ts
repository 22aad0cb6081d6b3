import type { ExchangeRecord } from '@winnow/contract';

/** Clients make up the names of models and tools: one that is longer than this is cut. */
const MAX_TEXT_CHARS = 1_000;

/** Hardly any record is longer; only those that are get a closer look. */
const COMMON_LINE_CHARS = 8_192;

/** A record as a line of JSON, with its line feed. Texts in it are cut at 1,000 characters. */
export function recordLine(record: ExchangeRecord): string {
  const line = JSON.stringify(record);
  return `${line.length <= COMMON_LINE_CHARS ? line : JSON.stringify(record, cutText)}\n`;
}

function cutText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_CHARS) : value;
}
