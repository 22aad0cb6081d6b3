import { SingleBar } from 'cli-progress';
import type { Source } from './open-source.ts';

/** Shows how far reading is. */
export interface Progress {
  readonly advance: (bytes: number, records: number) => void;
  readonly stop: () => void;
}

/** Records between two lines of progress: some seconds of reading. */
const RECORDS_PER_LINE = 100_000;

/** Tells of many records by a line now and then. */
function linesOf(stderr: NodeJS.WriteStream): Progress {
  let next = RECORDS_PER_LINE;
  return {
    advance(_, records) {
      if (records < next) return;
      next = records + RECORDS_PER_LINE;
      stderr.write(`Reading: ${records.toLocaleString('en')} records so far\n`);
    },
    stop() {},
  };
}

/** Shows a bar on a terminal, if the sizes of all sources are known; otherwise a line for each 100,000 records. */
export function showProgress(sources: readonly Source[], stderr: NodeJS.WriteStream): Progress {
  const sizes = sources.map(({ sizeBytes }) => sizeBytes);
  const isKnown = sizes.every((size) => size !== undefined);
  if (!stderr.isTTY || !isKnown) return linesOf(stderr);
  const bar = new SingleBar({
    stream: stderr,
    clearOnComplete: true,
    hideCursor: true,
    format: 'Reading {bar} {percentage} % · {records} records · {eta_formatted} left',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    formatValue: (value, _options, type) =>
      type === 'percentage' ? String(value).padStart(3) : String(value),
  });
  bar.start(
    sizes.reduce((sum: number, size) => sum + (size ?? 0), 0),
    0,
    { records: '0' },
  );
  return {
    advance: (bytes, records) => bar.increment(bytes, { records: records.toLocaleString('en') }),
    stop: () => bar.stop(),
  };
}
