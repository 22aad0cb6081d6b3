import { findCollector } from './collector.ts';

/** Bytes of one body that are no matter: what else a request makes has V8 collect the young generation often enough. */
const SMALL_BODY_BYTES = 256 * 1024;
/** How much may come beyond them before the young generation is collected, in bytes. */
const COLLECTED_BYTES = 16 * 2 ** 20;

let comeBytes = 0;

/**
 * To be told of each piece of a body that comes: its length, and that of the body so far with it, in bytes.
 *
 * Has V8 collect its young generation after every 16 MiB of large bodies. Their pieces lie in buffers beside the heap, of which the heap itself sees nothing: so V8 does not collect them
 * with the young, but when 64 MiB have come together marks everything that lives, ten times a second under load, which took a third of all processor time. A collection of the young finds
 * nearly all of them dead, in a millisecond.
 */
export function countReceived(pieceBytes: number, bodyBytes: number): void {
  if (bodyBytes <= SMALL_BODY_BYTES) return;
  comeBytes += pieceBytes;
  if (comeBytes < COLLECTED_BYTES) return;
  comeBytes = 0;
  findCollector()({ type: 'minor', execution: 'sync' });
}
