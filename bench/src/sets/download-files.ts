import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { InputError } from '../input-error.ts';

/** Far above the size of any file in a set; a larger file is not the one that was measured. */
const LIMIT_BYTES = 64 * 1024 * 1024;

/** Time after which a silent server counts as gone. */
const IDLE_MS = 60_000;

/** The files to download, and their location. */
export interface Wanted {
  /** The server's address, without a slash at the end. */
  readonly from: string;
  /** `OWNER/NAME`. */
  readonly repository: string;
  readonly commit: string;
  readonly files: readonly string[];
  /** Called with the number of bytes received so far. */
  readonly onBytes?: (total: number) => void;
}

/**
 * Returns the texts of a repository's files at one commit, by path. Streams GitHub's tarball and keeps only
 * the requested files; writes nothing to disk.
 *
 * @throws InputError if the server cannot be reached or refuses, the tarball is broken, or a file is missing.
 */
export async function downloadFiles(wanted: Wanted): Promise<Map<string, string>> {
  const { from, repository, commit, files, onBytes } = wanted;
  const url = `${from}/${repository}/tar.gz/${commit}`;
  const response = await request(url);
  const found = new Map<string, string>();
  let total = 0;
  try {
    await pipeline(
      response,
      async function* count(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          total += chunk.length;
          onBytes?.(total);
          yield chunk;
        }
      },
      createGunzip(),
      (chunks: AsyncIterable<Buffer>) => readEntries(chunks, new Set(files), found),
    );
  } catch (error) {
    throw new InputError(`${url}: ${total} bytes came, which are no whole tarball: ${reasonOf(error)}`);
  }
  const missing = files.find((path) => !found.has(path));
  if (missing !== undefined) throw new InputError(`${url}: has no file ${missing}`);
  return found;
}

/**
 * Returns the body of a response with status 200. Uses `node:http`, because the `fetch` of Node 24.21 ends
 * the process with a failed assertion if a connection ends while no one reads from it.
 */
async function request(url: string): Promise<IncomingMessage> {
  let response: IncomingMessage;
  try {
    const sent = (url.startsWith('https:') ? https : http).get(url);
    sent.setTimeout(IDLE_MS, () => sent.destroy(new Error(`nothing came for ${IDLE_MS / 1000} seconds`)));
    [response] = (await once(sent, 'response')) as [IncomingMessage];
  } catch (error) {
    throw new InputError(
      `cannot reach ${url}: ${reasonOf(error)}. Is there a network? Behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1.`,
    );
  }
  if (response.statusCode === 200) return response;
  response.destroy();
  throw new InputError(`${url}: the server responded with status ${response.statusCode}`);
}

/** Puts the texts of the requested files into `found`. */
async function readEntries(
  chunks: AsyncIterable<Buffer>,
  wanted: ReadonlySet<string>,
  found: Map<string, string>,
): Promise<void> {
  let failure: unknown;
  const parser = new Parser({
    strict: true,
    filter: (path, entry) =>
      wanted.has(withoutRoot(path)) && 'type' in entry && (entry.type === 'File' || entry.type === 'OldFile'),
    onReadEntry: (entry) => {
      if (entry.size > LIMIT_BYTES) failure ??= new Error(`${entry.path} has ${entry.size} bytes`);
      else keepText(entry, found);
      entry.resume();
    },
  });
  parser.on('error', (error: unknown) => {
    failure ??= error;
  });
  const ended = new Promise<void>((resolve) => {
    parser.on('end', resolve);
    parser.on('error', () => resolve());
  });
  for await (const chunk of chunks) {
    parser.write(chunk);
    if (failure !== undefined) throw failure;
  }
  parser.end();
  await ended;
  if (failure !== undefined) throw failure;
}

function keepText(entry: ReadEntry, found: Map<string, string>): void {
  const parts: Buffer[] = [];
  entry.on('data', (part) => parts.push(Buffer.from(part)));
  entry.on('end', () => found.set(withoutRoot(entry.path), Buffer.concat(parts).toString('utf8')));
}

/** GitHub puts everything into one folder, named after repository and commit. */
function withoutRoot(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  // An error that covers several addresses has only a code.
  return message || (code ?? 'no reason given');
}
