import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { SingleBar } from 'cli-progress';

/** A place that records are read from. */
export interface Source {
  /** As the user named it. */
  readonly name: string;
  /** Bytes on disk; undefined if unknown. */
  readonly sizeBytes?: number;
  readonly open: () => Readable;
}

/** A source cannot be read at all. */
export class SourceError extends Error {}

const CHUNK_BYTES = 256 * 1024;

/** The sources of a command line, each file once; `-` is standard input. Throws a `SourceError` that names the first that cannot be read. */
export async function openSources(names: readonly string[], stdin: Readable): Promise<Source[]> {
  const sources = new Map<string, Source>();
  for (const name of names) {
    const { identity, source } =
      name === '-' ? { identity: '-', source: stdinSource(stdin) } : await fileSource(name);
    if (!sources.has(identity)) sources.set(identity, source);
  }
  return [...sources.values()];
}

function stdinSource(stdin: Readable): Source {
  return { name: '-', open: () => stdin };
}

/** The identity of the file, because it may be named twice, for example by a pattern and by a link. */
async function fileSource(name: string): Promise<{ identity: string; source: Source }> {
  const found = await stat(name).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(`${name}: ${REASONS[error.code ?? ''] ?? error.message}`);
  });
  if (found.isDirectory()) throw new SourceError(`${name}: this is a directory; name the files in it`);
  const open = () => createReadStream(name, { highWaterMark: CHUNK_BYTES });
  const size = found.isFile() ? { sizeBytes: found.size } : {};
  return { identity: `${found.dev}:${found.ino}`, source: { name, open, ...size } };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'may not be read',
};

/**
 * Yields the bytes of a source, decompressed if they are gzip, regardless of the name. `onBytes` receives the
 * number of bytes read from disk. Throws if the source ends early; everything before has been yielded then.
 */
export async function* readBytes(source: Source, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  const counted = countBytes(source.open(), onBytes);
  const first = await counted.next();
  if (first.done) return;
  const rest = startWith(first.value, counted);
  if (!isGzip(first.value)) yield* rest;
  else yield* unzip(rest);
}

async function* countBytes(stream: Readable, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    const bytes = chunk as Buffer;
    onBytes(bytes.length);
    if (bytes.length > 0) yield bytes;
  }
}

async function* startWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** RFC 1952, section 2.3.1. No line of JSON begins so. */
function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Uses little memory, however large a file unpacks to: chunks are created on demand. */
async function* unzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Errors of either side destroy both, and the reader sees them; the callback has nothing to add.
  const unpacked = pipeline(packed, createGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  for await (const chunk of unpacked) yield chunk as Buffer;
}

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
