import type { LogEvent } from '../log/log.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import type { ClientRequest, RequestBody } from '../upstream/client.ts';

/** Receivers of requests with tools that no format handles. */
interface UnreadToolsOptions {
  readonly count: (upstream: string) => void;
  readonly log: (event: LogEvent) => void;
}

/**
 * Watches a request on a path that no format handles as its body passes: if it has tools, the operator may expect the
 * proxy to defer them. Does nothing unless the body is plain, unencoded JSON.
 */
export function watchUnreadTools(
  { request, target }: { readonly request: ClientRequest; readonly target: Target },
  body: RequestBody,
  { count, log }: UnreadToolsOptions,
): void {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
  if (request.method !== 'POST' || !type.includes('json') || encoding !== undefined) return;
  const scan = new ToolsScan();
  body.tap((piece) => {
    if (scan.hasFound) return;
    scan.add(piece);
    if (!scan.hasFound) return;
    const { name } = target.upstream;
    count(name);
    log({ event: 'tools_unread', upstream: name, path: plainPath(target.clientPath) });
  });
}

/** Path segments that are the provider's own words; names, ids and other client text are not logged. */
const PLAIN_SEGMENT = /^(?:[a-z][a-z_-]{0,23}|v\d{1,2}(?:[a-z]+\d?)?)$/;

const MOST_SEGMENTS = 8;

/** Returns a path with every segment replaced that is not the provider's own word. */
export function plainPath(path: string): string {
  const segments = path.split('/').slice(1, MOST_SEGMENTS + 1);
  return segments.map((segment) => `/${PLAIN_SEGMENT.test(segment) ? segment : '…'}`).join('');
}

/** The key of a list of tools in every provider's format that has one. */
const KEY = Buffer.from('"tools"');

/** A non-empty list after its key. */
const FILLED_LIST = /^"tools"\s*:\s*\[\s*[^\]\s]/;

/** Characters after the key within which the list must begin; real JSON has no more white space than that. */
const WINDOW = 64;

/**
 * Scans a passing body for a list of tools without parsing JSON: a text that mentions one may match, too.
 *
 * Keeps only the end of the last piece.
 */
export class ToolsScan {
  #end = Buffer.alloc(0);
  #hasFound = false;

  /** Whether a list was found so far. */
  get hasFound(): boolean {
    return this.#hasFound;
  }

  add(piece: Uint8Array): void {
    if (this.#hasFound) return;
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const border = Buffer.concat([this.#end, bytes.subarray(0, WINDOW)]);
    this.#hasFound = holdsTools(border) || holdsTools(bytes);
    this.#end = bytes.length >= WINDOW ? Buffer.from(bytes.subarray(-WINDOW)) : border.subarray(-WINDOW);
  }
}

function holdsTools(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(KEY); at >= 0; at = bytes.indexOf(KEY, at + 1)) {
    if (FILLED_LIST.test(bytes.toString('latin1', at, at + WINDOW))) return true;
  }
  return false;
}
