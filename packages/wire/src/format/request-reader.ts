import type { BodyBytes } from '../request/body-bytes.ts';
import type { Purpose, RequestReading } from './view.ts';

/** Reads requests. */
export interface RequestReader {
  /** The paths of the format's requests; the first match decides. */
  readonly routes: readonly Route[];

  /** Reads the parts of a decompressed body that Winnow uses. Linear in its size. */
  readRequest(bytes: BodyBytes, options: ReadOptions): RequestReading;
}

/** A path to which clients post, without its query string, and the purpose of such a request. */
export type Route = readonly [path: RegExp, purpose: Purpose];

/**
 * Returns the purpose of a request to this path; undefined when the format does not handle it. `path` has no
 * query string.
 */
export function matchRoute({ routes }: RequestReader, method: string, path: string): Purpose | undefined {
  return method === 'POST' ? routes.find(([route]) => route.test(path))?.[1] : undefined;
}

/** The address of a request as the client wrote it, without the prefix that names an upstream. */
export interface RequestAddress {
  readonly path: string;
  /** The query string with its question mark; empty when there is none. */
  readonly query: string;
}

/** The facts that reading needs in addition to the body. */
export interface ReadOptions extends RequestAddress {
  readonly purpose: Purpose;
  /** The search tool's name. A request whose client has a tool of that name is left alone. */
  readonly searchToolName: string;
  /**
   * Reserves memory, in bytes; returns false when there is too little, and the request is not read. Without
   * it, memory is unlimited.
   */
  readonly take?: ((bytes: number) => boolean) | undefined;
}
