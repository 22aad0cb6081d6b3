import type { FrameDecoder, Framing, WireEvent } from './framing.ts';

/** The budget for reading one body. */
interface ReadingBudget {
  /** The most characters of an event, or of a body that is one event. */
  readonly eventChars: number;
  /** The most events of a body. */
  readonly events: number;
}

/**
 * Far more than responses have: the largest public recordings are streams of 1,756 events and bodies of
 * 66,778 characters, which is a 569th and a 376th. Reading a longer event takes over a third of a second.
 */
const DEFAULT_BUDGET: ReadingBudget = { eventChars: 24 * 1024 * 1024, events: 1_000_000 };

/** The most bytes to decode at once: they can become an event each, before any of them is counted. */
const STEP_BYTES = 64 * 1024;

/** A body exceeds the budget for reading it. */
export class BudgetExceeded extends Error {
  constructor(what: string) {
    super(`a body exceeds the limit on ${what}`);
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
 * @throws BudgetExceeded when an event, or a whole body, is too long, or when there are too many events;
 * reading stops. @throws MalformedFrames when bytes are invalid in the framing, after the events before them;
 * reading stops.
 */
export class EventReader {
  readonly #decoder: FrameDecoder;
  readonly #budget: ReadingBudget;
  #events = 0;

  constructor(framing: Framing, budget: ReadingBudget = DEFAULT_BUDGET) {
    this.#decoder = framing.createDecoder(budget.eventChars);
    this.#budget = budget;
  }

  /** Returns the events that the next piece completes. */
  *read(piece: Uint8Array): Generator<WireEvent, void, undefined> {
    const decoder = this.#decoder;
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      const read = decoder.push(piece.length <= STEP_BYTES ? piece : piece.subarray(at, at + STEP_BYTES));
      this.#events += read.length;
      if (this.#events > this.#budget.events) throw new BudgetExceeded('events');
      yield* read;
      if (decoder.isOverflown) throw new BudgetExceeded('an event');
      if (decoder.isMalformed) throw new MalformedFrames();
    }
  }

  /** Returns the events that the end of the body completes. */
  *end(): Generator<WireEvent, void, undefined> {
    yield* this.#decoder.end();
    if (this.#decoder.isOverflown) throw new BudgetExceeded('an event');
  }
}

/** Reads the events of a body like an `EventReader`. Pulls the next piece only for the next event; errors of the body go to the caller. */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
  framing: Framing,
  budget?: ReadingBudget,
): AsyncGenerator<WireEvent, void, undefined> {
  const reader = new EventReader(framing, budget);
  for await (const piece of body) yield* reader.read(piece);
  yield* reader.end();
}
