import type { ErrorCode, ErrorDetail, SearchQuery } from '@winnow/contract';
import type { PackedCatalogue, RankerName } from '@winnow/ranking';
import type { ToolPlaces } from './tool-places.ts';

/** What a build worker is told at its start. */
export interface BuildWorkerData {
  readonly ranker: RankerName;
  readonly maxTools: number;
  /** Whether it rehearses until the first order comes: see `rehearsalBody`. */
  readonly rehearses: boolean;
}

/** One request to build. Its bytes are the worker's own until it replies. */
export interface BuildOrder {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly toolsStart: number | undefined;
}

/** A request that was built. */
export interface BuiltReply {
  readonly kind: 'built';
  readonly query: SearchQuery;
  readonly packed: PackedCatalogue | undefined;
  readonly places: ToolPlaces | undefined;
  readonly parseMs: number;
  readonly indexMs: number;
}

/** A request that was refused. */
export interface RefusedReply {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** A worker that rehearses has done with it, or was interrupted. */
export interface RehearsedNote {
  readonly kind: 'rehearsed';
}

/** What a build worker says to one {@link BuildOrder}. It says one thing to each, in order. */
export type BuildReply = (BuiltReply | RefusedReply) & {
  /** The memory of the order's bytes, for the next one. */
  readonly block: ArrayBuffer;
};
