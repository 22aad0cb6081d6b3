import { appendFile } from 'node:fs';
import type { ExchangeRecord } from '@winnow/contract';
import type { Report } from './report.ts';

/** Where records go. */
export interface RecordSinks {
  /** Takes log lines. */
  readonly writeLog: (lines: string) => void;
  /** A file that lines are appended to; `none` for none. */
  readonly file: string;
  /** Told of a file that cannot be written, once for each line. */
  readonly onFileError: (error: Error) => void;
}

/** Writes each record as one JSON line to the log and to the file. */
export function recordSink({ writeLog, file, onFileError }: RecordSinks): Report {
  return (record: ExchangeRecord) => {
    const line = `${JSON.stringify(record)}\n`;
    writeLog(line);
    if (file === 'none') return;
    appendFile(file, line, (error) => {
      if (error) onFileError(error);
    });
  };
}
