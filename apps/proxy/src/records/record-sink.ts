import type { ExchangeRecord } from '@winnow/contract';
import type { Settings } from '../config/config.ts';
import { logLine } from '../log/log-line.ts';
import { ListLines } from './list-lines.ts';
import type { ListedTools } from './listed-tools.ts';
import { RecordFile, type RecordFileOptions } from './record-file.ts';
import { recordLine } from './record-line.ts';

/** The destination of records. */
export interface RecordSink {
  /** Receives the record of each exchange once, with its tools. Never throws. */
  readonly takeRecord: (record: ExchangeRecord, list?: ListedTools) => void;
  /** Number of records that the file has lost so far. */
  readonly dropped: () => number;
  /** Writes the held records, and waits for it until `deadline` aborts. */
  readonly close: (deadline: AbortSignal) => Promise<void>;
}

/** Effects that writing records needs. */
export interface RecordEffects extends Pick<RecordFileOptions, 'every'> {
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Writes log lines. */
  readonly writeLog: (lines: string) => void;
}

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
          maxBytes: settings['records.max_size'],
          keep: settings['records.keep'],
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
      const line = `${list === undefined ? '' : lists.lineBefore(list)}${recordLine(record)}`;
      writeLog(line);
      file?.write(line);
    },
    dropped: () => file?.dropped ?? 0,
    close: async (deadline) => file?.close(deadline),
  };
}
