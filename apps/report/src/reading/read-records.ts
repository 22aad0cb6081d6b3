import type { StoredRecord, ToolListRecord } from '@winnow/core';
import { LineSplitter } from './line-splitter.ts';
import { readBytes, type Source } from './open-source.ts';
import { parseRecord, type Unreadable } from './parse-record.ts';

/** The lines read, by kind; `lines` is their number, without empty ones. */
export type LineCounts = ReturnType<typeof noLines>;

/** A stretch of time, in milliseconds since 1970: from `since` on, before `until`. */
export interface Period {
  readonly since?: number;
  readonly until?: number;
}

export interface ReadingResult {
  readonly counts: LineCounts;
  /** Sources that ended early; the data before that is counted. */
  readonly broken: readonly { readonly source: string; readonly message: string }[];
}

export interface Reading {
  readonly period: Period;
  readonly onRecord: (record: StoredRecord) => void;
  /** Receives each list of tools, regardless of its time: exchanges of the period may refer to an earlier one. */
  readonly onList: (list: ToolListRecord) => void;
  /** Told now and then of the bytes read since the last time, and of all records so far. */
  readonly onProgress: (bytes: number, records: number) => void;
}

/** Far more than any record takes; a longer line is something else. */
const LINE_LIMIT_BYTES = 1024 * 1024;

/** Reads all records of the sources, one after the other, in memory that does not grow with them. No line is a reason to stop. */
export async function readRecords(sources: readonly Source[], reading: Reading): Promise<ReadingResult> {
  const counts = noLines();
  const broken: { source: string; message: string }[] = [];
  for (const source of sources) {
    try {
      await readSource(source, reading, counts);
    } catch (error) {
      broken.push({ source: source.name, message: (error as Error).message });
    }
  }
  return { counts, broken };
}

async function readSource(source: Source, reading: Reading, counts: LineCounts): Promise<void> {
  const splitter = new LineSplitter(LINE_LIMIT_BYTES);
  const onBytes = (bytes: number) => reading.onProgress(bytes, counts.records);
  try {
    for await (const chunk of readBytes(source, onBytes)) takeLines(splitter.push(chunk), reading, counts);
  } finally {
    takeLines(splitter.end(), reading, counts);
    counts.too_long += splitter.tooLong;
    counts.lines += splitter.tooLong;
  }
}

function takeLines(
  lines: readonly string[],
  { period, onRecord, onList }: Reading,
  counts: LineCounts,
): void {
  counts.lines += lines.length;
  for (const line of lines) {
    const parsed = parseRecord(line);
    if (!parsed.ok) {
      counts[parsed.reason]++;
    } else if (parsed.list !== undefined) {
      counts.lists++;
      onList(parsed.list);
    } else if (!isInside(period, Date.parse(parsed.record.time))) {
      counts.outside_period++;
    } else {
      counts.records++;
      onRecord(parsed.record);
    }
  }
}

function isInside({ since, until }: Period, time: number): boolean {
  return (since === undefined || time >= since) && (until === undefined || time < until);
}

function noLines() {
  const unreadable: Record<Unreadable, number> = { not_json: 0, other_line: 0, other_version: 0, invalid: 0 };
  return {
    lines: 0,
    records: 0,
    /** Lists of tools that records refer to. */
    lists: 0,
    /** Records that began outside the requested period. */
    outside_period: 0,
    ...unreadable,
    /** Lines of more than a mebibyte, longer than any record. */
    too_long: 0,
  };
}
