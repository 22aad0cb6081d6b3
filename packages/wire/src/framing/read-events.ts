import type { Framing } from './framing.ts';
import type { WireEvent } from './wire-event.ts';

/** How many characters one unfinished event may hold: far beyond any response, far below what would hurt. */
export const HELD_EVENT_CHARS = 64 * 1024 * 1024;

/** An event, or a body that is one, is longer than may be held. */
export class OverlongEvent extends Error {
  constructor() {
    super('an event is longer than may be held');
  }
}

/** The bytes are none of the body's framing. */
export class MalformedFrames extends Error {
  constructor() {
    super('the frames of a body are malformed');
  }
}

/**
 * The events of an upstream's body, already decompressed, each as soon as its bytes are there.
 *
 * Pulls the next piece only when asked for the next event; errors of the body go to the caller.
 *
 * @throws OverlongEvent once an event, or a whole body, is longer than `limitChars`; nothing more is read.
 * @throws MalformedFrames once bytes come that are none of the framing, behind the events in front of them; nothing more is read.
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
