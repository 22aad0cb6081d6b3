import type { ClientRequest } from '../http/client-request.ts';
import type { LogEvent } from '../log/minute-log.ts';
import type { Target } from '../upstream/choose-upstream.ts';
import type { Tap } from '../upstream/tap.ts';
import { ToolsScan } from './tools-scan.ts';

/** Receivers of requests with tools that no format handles. */
export interface UnreadToolsOptions {
  readonly count: (upstream: string) => void;
  readonly log: (event: LogEvent) => void;
}

/** Path segments that are the provider's own words; names, ids and other client text are not logged. */
const PLAIN_SEGMENT = /^(?:[a-z][a-z_-]{0,23}|v\d{1,2}(?:[a-z]+\d?)?)$/;

const MOST_SEGMENTS = 8;

/**
 * Returns a tap for a request on a path that no format handles: if it has tools, the operator may expect the
 * proxy to defer them. Undefined unless the body is plain, unencoded JSON.
 */
export function tapUnreadTools(
  { request, target }: { readonly request: ClientRequest; readonly target: Target },
  { count, log }: UnreadToolsOptions,
): Tap | undefined {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
  if (request.method !== 'POST' || !type.includes('json') || encoding !== undefined) return undefined;
  const scan = new ToolsScan();
  return {
    seeRequest(body) {
      body.tap((piece) => {
        if (scan.hasFound) return;
        scan.add(piece);
        if (!scan.hasFound) return;
        const { name } = target.upstream;
        count(name);
        log({ event: 'tools_unread', upstream: name, path: plainPath(target.clientPath) });
      });
    },
    seeResponse() {},
  };
}

/** Returns a path with every segment replaced that is not the provider's own word. */
export function plainPath(path: string): string {
  const segments = path.split('/').slice(1, MOST_SEGMENTS + 1);
  return segments.map((segment) => `/${PLAIN_SEGMENT.test(segment) ? segment : '…'}`).join('');
}
