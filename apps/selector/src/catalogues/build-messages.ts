import type { ErrorCode, ErrorDetail, SearchQuery } from '@winnow/core';
import type { PackedCatalogue } from '@winnow/ranking';
import type { ToolPlaces } from './tool-places.ts';

/** Start data of a build worker. */
export interface BuildWorkerData {
  readonly maxTools: number;
}

/** One request to build. Its bytes are transferred to the worker. */
export interface BuildOrder {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly toolsStart: number | undefined;
}

/** A built request. */
export interface BuiltReply {
  readonly kind: 'built';
  readonly query: SearchQuery;
  readonly packed: PackedCatalogue | undefined;
  readonly places: ToolPlaces | undefined;
  readonly parseMs: number;
  readonly indexMs: number;
}

/** A rejected request. */
interface RefusedReply {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: readonly ErrorDetail[];
}

/** The reply of a build worker to one {@link BuildOrder}. Every order gets one reply, in order. */
export type BuildReply = BuiltReply | RefusedReply;
