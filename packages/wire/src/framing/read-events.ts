import type { Framing } from './framing.ts';
import type { WireEvent } from './wire-event.ts';

/**
 * The most characters of an unfinished event: far more than any response has, far less than memory allows.
 */
const HELD_EVENT_CHARS = 64 * 1024 * 1024;

/** An event, or a body that is one event, exceeds the limit. */
export class OverlongEvent extends Error {
  constructor() {
    super('an event exceeds the size limit');
  }
}

/** The bytes are invalid in the body's framing. */
export class MalformedFrames extends Error {
  constructor() {
    super('the frames of a body are malformed');
  }
}

/**
 * Reads the events of an upstream's decompressed body, each as soon as its bytes are there.
 *
 * Pulls the next piece only for the next event; errors of the body go to the caller.
 *
 * @throws OverlongEvent when an event, or a whole body, is longer than `limitChars`; reading stops. @throws
 * MalformedFrames when bytes are invalid in the framing, after the events before them; reading stops.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  framing: Framing,
  limitChars = HELD_EVENT_CHARS,
): AsyncGenerator<WireEvent, void, undefined> {
  const decoder = framing.createDecoder(limitChars);
  for await (const bytes of body) {
    yield* decoder.push(bytes);
    if (decoder.isOverflown) throw new OverlongEvent();
    if (decoder.isMalformed) throw new MalformedFrames();
  }
  yield* decoder.end();
  if (decoder.isOverflown) throw new OverlongEvent();
}
