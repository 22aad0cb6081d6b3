import type { ExchangeRecord } from '@winnow/contract';
import type { Settings } from '../config.ts';
import type { Report } from '../report.ts';
import { RecordFile, type RecordFileOptions } from './record-file.ts';
import { recordLine } from './record-line.ts';

/** Where records go. */
export interface RecordSink {
  readonly report: Report;
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
          onChange: (error) => writeLog(fileLine(path, error, wallClock())),
        });
  file?.open();
  return {
    report(record: ExchangeRecord) {
      const line = recordLine(record);
      writeLog(line);
      file?.write(line);
    },
    dropped: () => file?.dropped ?? 0,
    close: async (deadline) => file?.close(deadline),
  };
}

/** A log line that tells that the file cannot be written any more, by the error's code, or that it can again. */
function fileLine(file: string, error: unknown, timeMs: number): string {
  const time = new Date(timeMs).toISOString();
  if (error === undefined) return `${JSON.stringify({ time, event: 'record_file_up', file })}\n`;
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
  return `${JSON.stringify({ time, event: 'record_file_down', problem: code, file })}\n`;
}
