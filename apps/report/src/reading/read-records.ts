import { parseJson, RECORD_VERSION, StoredRecord, ToolListRecord } from '@winnow/core';
import { readBytes, type Source } from './open-source.ts';

const LINE_FEED = 0x0a;

/**
 * Cuts a stream of bytes into lines of UTF-8 text. A line that is longer than the limit is left out and counted, and is never in memory as a
 * whole; empty lines are left out. A carriage return at the end belongs to no line.
 */
export class LineSplitter {
  readonly #limitBytes: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #isTooLong = false;
  #tooLong = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Lines that were longer than the limit so far. */
  get tooLong(): number {
    return this.#tooLong;
  }

  /** Bytes that wait for the end of their line. */
  get heldBytes(): number {
    return this.#pendingBytes;
  }

  /** The lines that end in this chunk. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#hold(chunk.subarray(start, end));
      this.#finishLine(lines);
      start = end + 1;
    }
    // A copy: the rest of a chunk may wait for long, and a part would keep the whole.
    this.#hold(Buffer.from(chunk.subarray(start)));
    return lines;
  }

  /** The last line, when the stream did not end with a line feed. */
  end(): string[] {
    const lines: string[] = [];
    this.#finishLine(lines);
    return lines;
  }

  #hold(part: Buffer): void {
    if (this.#isTooLong || part.length === 0) return;
    this.#pending.push(part);
    this.#pendingBytes += part.length;
    if (this.#pendingBytes <= this.#limitBytes) return;
    this.#isTooLong = true;
    this.#tooLong++;
    this.#drop();
  }

  #finishLine(lines: string[]): void {
    const text =
      this.#pending.length === 1 ? this.#pending[0]!.toString() : Buffer.concat(this.#pending).toString();
    this.#isTooLong = false;
    this.#drop();
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (line.trim() !== '') lines.push(line);
  }

  #drop(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}

/** The reason why a line is not a countable record. */
export type Unreadable =
  /** No JSON object: a line of text, or one that was cut in two. */
  | 'not_json'
  /** JSON of something else: a service writes other events to its log as well. */
  | 'other_line'
  /** A record of another version than this report knows. */
  | 'other_version'
  /** A record of this version with a field that is missing or wrong. */
  | 'invalid';

export type ParsedLine =
  | { readonly ok: true; readonly record: StoredRecord; readonly list?: undefined }
  | { readonly ok: true; readonly list: ToolListRecord }
  | { readonly ok: false; readonly reason: Unreadable };

/** Reads one line of a file of records. Never throws. */
export function parseRecord(line: string): ParsedLine {
  const value = readObject(line);
  if (value === undefined) return { ok: false, reason: 'not_json' };
  if (value.event !== 'exchange' && value.event !== 'tool_list') return { ok: false, reason: 'other_line' };
  if (value.version !== RECORD_VERSION) return { ok: false, reason: 'other_version' };
  if (value.event === 'tool_list') {
    const { data: list } = ToolListRecord.safeParse(value);
    return list === undefined ? { ok: false, reason: 'invalid' } : { ok: true, list };
  }
  const parsed = StoredRecord.safeParse(value);
  return parsed.success ? { ok: true, record: parsed.data } : { ok: false, reason: 'invalid' };
}

function readObject(line: string): Record<string, unknown> | undefined {
  const value = parseJson(line);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

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
