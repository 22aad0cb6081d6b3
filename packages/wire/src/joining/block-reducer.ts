import { type Keep, type RoundFailure, roundFailure } from '../format/response-joiner.ts';
import type { RequestView, Turn } from '../format/view.ts';
import type { StreamEvent, WireEvent } from '../framing/framing.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import {
  isNumberedAsSent,
  isUntouched,
  type PartReader,
  type PartState,
  Places,
  placeOf,
  unfinishedFailure,
} from './part-state.ts';
import { type EndedRound, NOTHING, type RoundReducer, type Step, startOfExchange } from './round-joiner.ts';
import type { CountRules } from './rounds-usage.ts';

/** The most held events at the end of a stream; real ends have two, and an occasional ping. */
const TAIL_EVENTS = 16;
/** The most characters of them: a stop reason, usage, and additions of providers. */
const TAIL_CHARS = 1024 * 1024;

/** Reads a response of content blocks. */
export interface BlockReader extends PartReader {
  readonly stopReason: string | undefined;
  /** Whether the response has a search but exceeds the limit on held content. */
  readonly heldTooMuch: boolean;
  readonly hasParts: boolean;
  /** Returns the blocks for the client, as JSON, in order. */
  visibleBlocks(): readonly string[];
}

/** State of an exchange of messages that consist of content blocks. */
export interface BlockState<Reader extends BlockReader> extends PartState<StreamEvent> {
  readonly reader: Reader;
  /** The readers of all responses, the current one last. */
  readonly readers: readonly Reader[];
  readonly tailChars: number;
}

export interface BlockEvent {
  readonly event: StreamEvent;
  /** The number of the block upstream. */
  readonly index: unknown;
  readonly block: Pick<ShownBlock, 'isShown'>;
}

/** A block as the client sees it. */
export interface ShownBlock {
  /** Whether the client sees it: neither a search nor thinking behind something hidden. */
  readonly isShown: boolean;
  /** Returns the block received so far, as JSON. */
  finish(): string;
}

/**
 * Decides which thinking of a round the client sees, a block at a time: only what stands where the model put
 * it, behind nothing that is hidden. Signatures bind thinking to its place, so the provider refuses all other
 * thinking in a history that has no hidden turns.
 *
 * Contract: for one round and one caller; called for each of its blocks, in order.
 */
export class ThinkingPlace {
  #isOwn: boolean;

  /** `isOwn` is whether the client sees the rounds before as they are. */
  constructor(isOwn: boolean) {
    this.#isOwn = isOwn;
  }

  /** Whether the client sees the next block. */
  shows(isSearch: boolean, isThinking: boolean): boolean {
    this.#isOwn &&= !isSearch;
    return isThinking ? this.#isOwn : !isSearch;
  }
}

/** Returns the content of a turn with these blocks, without those that may not be sent back. */
export function contentOf(
  blocks: readonly (ShownBlock & { readonly isSearch: boolean })[],
  isWorthSaying: (block: string) => boolean,
): Pick<Turn, 'unshown'> & { readonly content: string } {
  const said = blocks
    .map((block) => ({ block, text: block.finish() }))
    .filter(({ text }) => isWorthSaying(text));
  const unshown = said.flatMap(({ block: { isShown, isSearch } }, at) => (isShown || isSearch ? [] : [at]));
  const content = `[${said.map(({ text }) => text).join(',')}]`;
  return unshown.length === 0 ? { content } : { content, unshown };
}

/** The progress of a response. */
export interface BlockProgress {
  readonly hasBegun: boolean;
  readonly isComplete: boolean;
  /** The error that the upstream sent within the response. */
  readonly error: string | undefined;
}

/** Joins messages of content blocks. Formats define how blocks are read, numbered and written. */
export abstract class BlockReducer<Reader extends BlockReader, State extends BlockState<Reader>>
  implements RoundReducer<State>
{
  protected readonly hidden: HiddenNames;
  protected readonly keep: Keep | undefined;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.hidden = hidden;
    this.keep = keep;
  }

  /** Returns a reader for the next round, from the state that earlier rounds left. */
  protected abstract newReader(thinking: ThinkingPlace, left?: State): Reader;
  protected abstract progressOf(state: State): BlockProgress;
  /** Whether the upstream has sent no block in a later round. */
  protected isEmpty({ rounds, reader }: State): boolean {
    return rounds > 1 && !reader.hasParts;
  }
  /** Returns the last response's body with the visible blocks of all responses, which are given as JSON. */
  protected abstract joinBody(state: State, content: string): string;
  /** Returns the end of the last stream as the end of all responses. */
  protected abstract joinTail(state: State): readonly StreamEvent[];
  abstract takeEvent(state: State, event: StreamEvent): Step<State>;
  abstract takeWhole(state: State, text: string): Step<State>;
  abstract isOver(state: State): boolean;
  abstract fail(state: State, failure: RoundFailure): readonly WireEvent[];

  /** Returns the shared members of the state before the first round. */
  protected startOf(view: RequestView, rules: CountRules): BlockState<Reader> {
    const shared = startOfExchange(view, rules);
    return {
      ...shared,
      ...newRound(0),
      reader: this.newReader(new ThinkingPlace(true)),
      readers: [],
      hasHidden: false,
    };
  }

  begin(left: State): State {
    const reader = this.newReader(new ThinkingPlace(left.readers.length === 0), left);
    return { ...left, ...newRound(left.places.next), reader, readers: [...left.readers, reader] };
  }

  end(state: State): EndedRound<State> | RoundFailure {
    const { reader, tailChars } = state;
    const { error, isComplete, hasBegun } = this.progressOf(state);
    if (error !== undefined) return roundFailure('upstream_error', error);
    if (reader.heldTooMuch || tailChars > TAIL_CHARS) return roundFailure('held_too_much');
    const isEmpty = this.isEmpty(state) && reader.stopReason === undefined;
    if (isComplete && isEmpty) return roundFailure('malformed_answer');
    const failure = isComplete ? undefined : unfinishedFailure(state, { hasBegun, isEmpty }, this.hidden);
    return failure ?? { kind: 'ended', state, turn: reader.turn(), stopReason: reader.stopReason };
  }

  finish(state: State): readonly WireEvent[] {
    const { isWhole, body, readers, tail } = state;
    if (!isWhole) return isUntouched(state) ? tail : this.joinTail(state);
    if (body !== undefined && isUntouched(state)) return [{ kind: 'whole', text: body }];
    const blocks = readers.flatMap((reader) => reader.visibleBlocks());
    return [{ kind: 'whole', text: this.joinBody(state, `[${blocks.join(',')}]`) }];
  }

  /**
   * Drops an event of a hidden block. An event of any other block gets the position of its block in the client's
   * message.
   */
  protected passBlock(
    state: State,
    { event, index, block }: BlockEvent,
    write: (place: number) => readonly StreamEvent[],
  ): Step<State> {
    if (!block.isShown) return { state: { ...state, hasHidden: true }, events: NOTHING };
    if (isNumberedAsSent(state) && typeof index !== 'number') return { state, events: [event] };
    return { state, events: write(placeOf(state, block, index)) };
  }

  /**
   * Holds an event of the end. An event that is no part of it, such as a heartbeat, passes once more events
   * are held than any real end has.
   */
  protected holdTail(state: State, event: StreamEvent, isPart: boolean): Step<State> {
    const tailChars = state.tailChars + event.data.length;
    const isPassed = !isPart && state.tail.length >= TAIL_EVENTS;
    if (!isPassed && tailChars <= TAIL_CHARS) state.tail.push(event);
    return { state: { ...state, tailChars }, events: isPassed ? [event] : NOTHING };
  }
}

/** Returns the members of the state that each round resets; `next` is the position of its first block. */
function newRound(next: number) {
  return { body: undefined, places: new Places(next), tail: [], tailChars: 0 };
}
