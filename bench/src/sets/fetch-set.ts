import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../input-error.ts';
import { downloadFiles } from './download-files.ts';
import type { ConvertedSet, RecordedSet, SetSource } from './set-source.ts';

/** A set of any kind. */
type AnySource = SetSource<ConvertedSet | RecordedSet>;

/** Source and destination of a set, and a listener for its progress. */
export interface FetchOptions {
  /** Address of the server with the tarballs, without a slash at the end. */
  readonly from: string;
  /** The folder in which the set gets a folder of its own. */
  readonly directory: string;
  readonly onBytes?: (total: number) => void;
}

/**
 * Downloads a set at its commit, converts it, and writes it with its licence and `SOURCE.md`. Writes nothing
 * unless both files have the pinned checksums, and never replaces files with other checksums.
 *
 * @returns `present` if the files were there already.
 * @throws InputError with the reason for a failure.
 */
export async function fetchSet(source: AnySource, options: FetchOptions): Promise<'fetched' | 'present'> {
  const folder = join(options.directory, source.name);
  if (isPresent(source, folder)) return 'present';
  const { from, onBytes } = options;
  const { repository, commit } = source;
  const files = await downloadFiles({
    from,
    repository,
    commit,
    files: [...source.files, source.licenceFile],
    ...(onBytes && { onBytes }),
  });
  const read = (path: string) => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`${path} is not among the files of the set`);
    return text;
  };
  const texts = Object.entries(convert(source, read)).map(([part, lines]) => [part, toLines(lines)] as const);
  for (const [part, text] of texts) {
    const sum = sha256(text);
    if (sum !== source.sha256[part])
      throw new InputError(
        `${source.name}: ${part}.jsonl is not what was measured (sha256 ${sum}, expected ${source.sha256[part]}); nothing was written`,
      );
  }
  mkdirSync(folder, { recursive: true });
  write(folder, 'LICENSE', read(source.licenceFile));
  write(folder, 'SOURCE.md', describeSource(source));
  for (const [part, text] of texts) write(folder, `${part}.jsonl`, text);
  return 'fetched';
}

function isPresent(source: AnySource, folder: string): boolean {
  const states = Object.keys(source.sha256).map((part) => {
    const file = join(folder, `${part}.jsonl`);
    if (!existsSync(file)) return false;
    if (sha256(readFileSync(file)) === source.sha256[part]) return true;
    throw new InputError(
      `${file} is there and is not what was measured: move it away, or name another folder`,
    );
  });
  return states.every((isThere) => isThere);
}

function convert(source: AnySource, read: (path: string) => string): ConvertedSet | RecordedSet {
  try {
    return source.convert(read);
  } catch (error) {
    throw new InputError(
      `${source.name}: the files do not have the shape that they have at ${source.commit}: ${(error as Error).message}`,
    );
  }
}

function toLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Writes a file atomically. */
function write(folder: string, name: string, text: string): void {
  const part = join(folder, `${name}.part`);
  writeFileSync(part, text);
  renameSync(part, join(folder, name));
}

function describeSource({
  name,
  repository,
  commit,
  licence,
  files,
  faults,
  sha256: sums,
}: AnySource): string {
  return [
    `# ${name}`,
    '',
    `Converted from [${repository}](https://github.com/${repository}/tree/${commit}) at commit \`${commit}\`.`,
    `Licence: ${licence}, see [LICENSE](LICENSE).`,
    '',
    'Files:',
    '',
    ...files.map((path) => `- \`${path}\``),
    '',
    ...(faults.length > 0 ? ['Known faults:', '', ...faults.map((fault) => `- ${fault}`), ''] : []),
    'SHA-256:',
    '',
    ...Object.entries(sums).map(([part, sum]) => `- \`${part}.jsonl\`: \`${sum}\``),
    '',
  ].join('\n');
}
