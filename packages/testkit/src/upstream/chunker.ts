import type { Delivery } from './delivery.ts';

/**
 * Splits a body into the chunks in which it is sent.
 *
 * Contract: the chunks joined are the pushed bytes, in order; no chunk is empty.
 */
export interface Chunker {
  /** Takes bytes and returns the complete chunks. */
  push(bytes: Uint8Array): Uint8Array[];
  /** Returns the bytes held back for a later cut. */
  flush(): Uint8Array[];
}

/** Creates a chunker for one body. See {@link Delivery.cut}. */
export function createChunker(cut: Delivery['cut'] = 'events'): Chunker {
  if (cut === 'events') return { push: (bytes) => (bytes.length > 0 ? [bytes] : []), flush: () => [] };
  if (cut === 'bytes') {
    return { push: (bytes) => Array.from(bytes, (byte) => Uint8Array.of(byte)), flush: () => [] };
  }
  return createPositionChunker(cut);
}

function createPositionChunker(positions: readonly number[]): Chunker {
  let held = Buffer.alloc(0);
  let sent = 0;
  const take = (size: number): Uint8Array => {
    const chunk = held.subarray(0, size);
    held = held.subarray(size);
    sent += size;
    return chunk;
  };
  return {
    push(bytes) {
      held = Buffer.concat([held, bytes]);
      const end = sent + held.length;
      const reached = positions.filter((position) => position > sent && position <= end);
      return reached.sort((left, right) => left - right).map((position) => take(position - sent));
    },
    flush: () => (held.length > 0 ? [take(held.length)] : []),
  };
}
