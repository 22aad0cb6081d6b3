import type { ExchangeRecord } from '@winnow/contract';
import type { Settings } from '../config/config.ts';
import { logLine } from '../log/log-line.ts';
import { RecordFile, type RecordFileOptions } from './record-file.ts';
import { recordLine } from './record-line.ts';

/** Where records go. */
export interface RecordSink {
  /** Takes the record of each exchange, once. Never throws. */
  readonly takeRecord: (record: ExchangeRecord) => void;
  /** Records that the file has lost so far. */
  readonly dropped: () => number;
  /** Writes what is held, and waits for it until `deadline` aborts. */
  readonly close: (deadline: AbortSignal) => Promise<void>;
}

/** What writing records takes from the world around it. */
export interface RecordEffects extends Pick<RecordFileOptions, 'every'> {
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
}

/** Writes each record as one JSON line to the log, and to the file that `records.file` names. */
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
          // Told when the file cannot be written any more, and why, or when it can again.
          onChange: (problem) => {
            const event = problem === undefined ? 'record_file_up' : 'record_file_down';
            writeLog(logLine({ event, problem, file: path }, wallClock()));
          },
        });
  file?.open();
  return {
    takeRecord(record: ExchangeRecord) {
      const line = recordLine(record);
      writeLog(line);
      file?.write(line);
    },
    dropped: () => file?.dropped ?? 0,
    close: async (deadline) => file?.close(deadline),
  };
}
