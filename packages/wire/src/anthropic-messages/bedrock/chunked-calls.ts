import type { CallEvent, CallEvents, CallPart, PartChange } from '../../bridge/call-events.ts';
import { fromChunk, toChunk } from './chunk-event.ts';

const NO_PARTS: readonly CallPart[] = [];

/** Reads the calls in the events of Messages that frames carry. */
export class ChunkedCalls implements CallEvents {
  readonly #calls: CallEvents;

  constructor(calls: CallEvents) {
    this.#calls = calls;
  }

  partsOf(event: CallEvent): readonly CallPart[] {
    const said = saidBy(event);
    return said === undefined ? NO_PARTS : this.#calls.partsOf(said);
  }

  endsCalls(event: CallEvent): boolean {
    const said = saidBy(event);
    return said !== undefined && this.#calls.endsCalls(said);
  }

  rewrite<Event extends CallEvent>(
    event: Event,
    changes: readonly (PartChange | 'drop' | undefined)[],
  ): Event | undefined {
    if (event.kind === 'whole') return this.#calls.rewrite(event, changes);
    const said = saidBy(event);
    const written = said && this.#calls.rewrite(said, changes);
    if (written === undefined || written.kind === 'whole') return undefined;
    return (written === said ? event : toChunk(written.data)) as Event;
  }
}

/** Returns the event in a frame. An error has none, and is one. */
function saidBy(event: CallEvent): CallEvent | undefined {
  return event.kind === 'whole' || event.isError === true ? event : fromChunk(event);
}
