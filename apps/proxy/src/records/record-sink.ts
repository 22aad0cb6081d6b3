import { type ExchangeRecord, RECORD_VERSION, type SearchRecord } from '@winnow/core';
import { RecentMap } from '@winnow/service';
import type { Settings } from '../config/config.ts';
import { logLine } from '../log/log.ts';
import { wholeUs } from './fold-record.ts';
import { RecordFile, type RecordFileOptions } from './record-file.ts';
import type { ListedTools } from './request-facts.ts';

/** The destination of records. */
interface RecordSink {
  /** Receives the record of each exchange once, with its tools. Returns its line. Never throws. */
  readonly takeRecord: (record: ExchangeRecord, list?: ListedTools) => string;
  /** Number of records that the file has lost so far. */
  readonly dropped: () => number;
  /** Writes the held records, and waits for it until `deadline` aborts. */
  readonly close: (deadline: AbortSignal) => Promise<void>;
}

/** Effects that writing records needs. */
interface RecordEffects extends Pick<RecordFileOptions, 'every'> {
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Writes log lines. */
  readonly writeLog: (lines: string) => void;
}

/** Size at which the file is rotated, in bytes, and the number of rotated files that are kept. */
const ROTATION = { maxBytes: 100 * 2 ** 20, keep: 5 } as const;

/**
 * Opens the sink: each record becomes one JSON line in the log and in the file of `records.file`, after the line
 * of its tools if that was not written lately.
 */
export function openRecordSink(
  settings: Settings,
  { every, wallClock, writeLog }: RecordEffects,
): RecordSink {
  const path = settings['records.file'];
  const file =
    path === 'none'
      ? undefined
      : new RecordFile({
          path,
          ...ROTATION,
          every,
          // Logs when the file cannot be written any more, with the reason, and when it can again.
          onChange: (problem) => {
            const event = problem === undefined ? 'record_file_up' : 'record_file_down';
            writeLog(logLine({ event, problem, file: path }, wallClock()));
          },
        });
  file?.open();
  const lists = new ListLines(wallClock);
  return {
    takeRecord(record, list) {
      const line = recordLine(record);
      const lines = list === undefined ? line : lists.lineBefore(list) + line;
      writeLog(lines);
      file?.write(lines);
      return line;
    },
    dropped: () => file?.dropped ?? 0,
    close: async (deadline) => file?.close(deadline),
  };
}

/** Interval after which a list is written again, in milliseconds: files are rotated and moved away. */
const AGAIN_MS = 3_600_000;

/** Number of lists whose last line is known. */
const MOST_LISTS = 1_000;

/** Maximum number of characters of lists per minute: a client may send other tools each time. */
const MOST_CHARS_PER_MINUTE = 1024 * 1024;

const MINUTE_MS = 60_000;

/** The lines of tool lists: each once an hour while exchanges use it, and not more than files can take. */
export class ListLines {
  readonly #writtenAt = new RecentMap<string, number>(MOST_LISTS);
  readonly #wallClock: () => number;
  #minute = 0;
  #chars = 0;

  /** `wallClock` is in milliseconds since the epoch. */
  constructor(wallClock: () => number) {
    this.#wallClock = wallClock;
  }

  /** Returns the line to write before an exchange with this list, with its line feed; empty if it is not due. */
  lineBefore({ id, json }: ListedTools): string {
    const now = this.#wallClock();
    const writtenAt = this.#writtenAt.get(id);
    if (writtenAt !== undefined && now - writtenAt < AGAIN_MS) return '';
    if (!this.#hasRoom(json.length, now)) return '';
    this.#writtenAt.set(id, now);
    const head = JSON.stringify({ version: RECORD_VERSION, event: 'tool_list', time: isoTime(now), id });
    return `${head.slice(0, -1)},"tools":${json}}\n`;
  }

  #hasRoom(chars: number, now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#chars = 0;
    }
    this.#chars += chars;
    return this.#chars <= MOST_CHARS_PER_MINUTE;
  }
}

/** Maximum length of a text, in characters: clients make up the names of models and tools. */
const MAX_TEXT_CHARS = 1_000;

/** Length that few lines exceed; only longer lines are checked for long texts. */
const COMMON_LINE_CHARS = 8_192;

const TIMES = ['hiddenRoundsMs', 'addedMs', 'totalMs'] as const;

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
  return record.searches.length === 0 && TIMES.every((time) => record[time] === wholeUs(record[time]));
}

function roundTimes(record: ExchangeRecord): ExchangeRecord {
  const rounded = { ...record, searches: record.searches.map(roundSearch) };
  for (const time of TIMES) rounded[time] = wholeUs(record[time]);
  return rounded;
}

function roundSearch(search: SearchRecord): SearchRecord {
  return { ...search, ms: wholeUs(search.ms) };
}

function cutText(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_CHARS) : value;
}

/** The second formatted last, and its text up to the milliseconds. */
let second = Number.NaN;
let written = '';

/**
 * Formats a time in milliseconds since the epoch as ISO 8601, exactly like `Date`. Throws a RangeError for an
 * invalid time.
 *
 * Every record has its time, and thousands of records come per second: everything except the milliseconds is
 * formatted once a second.
 */
export function isoTime(timeMs: number): string {
  const wholeMs = Math.trunc(timeMs);
  const ofSecond = Math.floor(wholeMs / 1_000);
  if (ofSecond !== second) {
    written = new Date(ofSecond * 1_000).toISOString().slice(0, -'000Z'.length);
    second = ofSecond;
  }
  return `${written}${String(wholeMs - ofSecond * 1_000).padStart(3, '0')}Z`;
}
