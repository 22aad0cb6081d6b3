import type { RoundFailure } from '../format/response-joiner.ts';
import type { RequestView } from '../format/view.ts';
import type { StreamEvent, WireEvent } from '../framing/wire-event.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import type { Keep } from './keep.ts';
import { type PartReader, type PartState, Places, unfinishedFailure } from './part-state.ts';
import { roundFailure } from './round-failure.ts';
import { type EndedRound, NOTHING, type RoundReducer, type Step, startOfExchange } from './round-joiner.ts';
import type { CountRules } from './rounds-usage.ts';
import type { UsageShown } from './shown-counts.ts';

/** The most held events at the end of a stream; real ends have two, and an occasional ping. */
export const TAIL_EVENTS = 16;
/** The most characters of them: a stop reason, usage, and additions of providers. */
const TAIL_CHARS = 1024 * 1024;

/** Reads a response of content blocks. */
export interface BlockReader extends PartReader {
  readonly stopReason: string | undefined;
  /** Whether the response has a search but exceeds the limit on held content. */
  readonly heldTooMuch: boolean;
}

/** State of an exchange of messages that consist of content blocks. */
export interface BlockState<Held, Reader extends BlockReader> extends PartState<Held> {
  readonly reader: Reader;
  /** The readers of all responses, the current one last. */
  readonly readers: readonly Reader[];
  readonly tailChars: number;
}

/** The progress of a response. */
export interface BlockProgress {
  readonly hasBegun: boolean;
  readonly isComplete: boolean;
  /** Whether the upstream sent an error within the response. */
  readonly hasFailed: boolean;
}

/** Joins messages of content blocks. Formats define how blocks are read, numbered and written. */
export abstract class BlockReducer<Held, Reader extends BlockReader, State extends BlockState<Held, Reader>>
  implements RoundReducer<State>
{
  protected readonly hidden: HiddenNames;
  protected readonly keep: Keep | undefined;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.hidden = hidden;
    this.keep = keep;
  }

  /** Returns a reader for the next round, from the state that earlier rounds left. */
  protected abstract newReader(left?: State): Reader;
  protected abstract progressOf(state: State): BlockProgress;
  protected abstract finishWhole(state: State): string;
  protected abstract finishStream(state: State): readonly StreamEvent[];
  abstract takeEvent(state: State, event: StreamEvent): Step<State>;
  abstract takeWhole(state: State, text: string): Step<State>;
  abstract isOver(state: State): boolean;
  abstract fail(state: State, failure: RoundFailure): readonly WireEvent[];

  /** Returns the shared members of the state before the first round. */
  protected startOf(view: RequestView, rules: CountRules, usageShown: UsageShown): BlockState<Held, Reader> {
    const shared = startOfExchange(view, rules, usageShown);
    return { ...shared, ...newRound<Held>(0), reader: this.newReader(), readers: [], hasHidden: false };
  }

  begin(left: State): State {
    const reader = this.newReader(left);
    return { ...left, ...newRound<Held>(left.places.next), reader, readers: [...left.readers, reader] };
  }

  end(state: State): EndedRound<State> | RoundFailure {
    const { reader, tailChars } = state;
    const { hasFailed, isComplete, hasBegun } = this.progressOf(state);
    if (hasFailed) return roundFailure('upstream_error');
    if (reader.heldTooMuch || tailChars > TAIL_CHARS) return roundFailure('held_too_much');
    const failure = isComplete ? undefined : unfinishedFailure(state, hasBegun, this.hidden);
    return failure ?? { kind: 'ended', state, turn: reader.turn(), stopReason: reader.stopReason };
  }

  finish(state: State): readonly WireEvent[] {
    return state.isWhole ? [{ kind: 'whole', text: this.finishWhole(state) }] : this.finishStream(state);
  }

  /** Counts an event of the end, and holds it unless `isHeld` is false. */
  protected holdTail(state: State, held: Held, { data }: StreamEvent, isHeld: boolean): Step<State> {
    const tailChars = state.tailChars + data.length;
    if (isHeld && tailChars <= TAIL_CHARS) state.tail.push(held);
    return { state: { ...state, tailChars }, events: NOTHING };
  }
}

/** Returns the members of the state that each round resets; `next` is the position of its first block. */
function newRound<Held>(next: number) {
  const tail: Held[] = [];
  return { body: undefined, places: new Places(next), tail, tailChars: 0 };
}
