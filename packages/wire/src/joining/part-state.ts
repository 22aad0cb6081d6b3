import type { RoundFailure } from '../format/response-joiner.ts';
import type { Turn } from '../format/view.ts';
import type { MemberChanges } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { roundFailure } from './round-failure.ts';
import type { ExchangeState, ResponseReader } from './round-joiner.ts';

/** Reads a response that consists of parts. */
export interface PartReader extends ResponseReader {
  /** Whether one of them is a search. */
  readonly hasSearch: boolean;
  turn(): Turn;
}

/** State of an exchange whose responses consist of numbered parts: blocks, items or steps. */
export interface PartState<Held> extends ExchangeState {
  readonly reader: PartReader;
  /** The last whole body of the current round, unchanged. */
  readonly body: string | undefined;
  /** The positions of the current response's parts. */
  readonly places: Places;
  /** Whether a part of this exchange was hidden, so that the upstream's numbers are no longer the client's. */
  readonly hasHidden: boolean;
  /** The events held at the end of the current stream. The list grows in place. */
  readonly tail: Held[];
}

/** The positions of one response's parts among all parts for the client. Created again for each round. */
export class Places {
  readonly #places = new Map<object, number>();
  /** The first free position. */
  next: number;

  constructor(next = 0) {
    this.next = next;
  }

  /**
   * Returns the position of a part. `given` is the position for a new part, if any; by default, it gets the
   * first free one.
   */
  of(part: object, given: number | undefined): number {
    const place = this.#places.get(part) ?? given ?? this.next;
    this.next = Math.max(this.next, place + 1);
    this.#places.set(part, place);
    return place;
  }
}

/** Whether the client gets the upstream's response unchanged. */
export function isUntouched({ rounds, reader }: Pick<PartState<unknown>, 'rounds' | 'reader'>): boolean {
  return rounds === 1 && !reader.hasSearch;
}

/** Returns the change that ends the turn in a response that ends for a call that the client does not see. */
export function endOfTurn(
  reader: PartReader & { readonly stopReason: string | undefined },
  key: string,
): MemberChanges {
  const promisesCall = reader.hasSearch && reader.stopReason === 'tool_use';
  return promisesCall && reader.turn().realCalls.length === 0 ? { [key]: '"end_turn"' } : {};
}

/** Returns the change that gives a response the usage of all rounds; no change for one round. */
export function joinedUsage({ rounds, used, reader }: ExchangeState, key: string): MemberChanges {
  const usage = rounds === 1 ? undefined : used.shownWith(reader.usage);
  return usage === undefined ? {} : { [key]: JSON.stringify(usage) };
}

/** Whether parts still have the upstream's numbers. */
export function isNumberedAsSent({
  rounds,
  hasHidden,
}: Pick<ExchangeState, 'rounds'> & { hasHidden: boolean }) {
  return rounds === 1 && !hasHidden;
}

/** Returns the position of a part with this number upstream. */
export function placeOf(state: PartState<unknown>, part: object, index: unknown): number {
  return state.places.of(part, isNumberedAsSent(state) && typeof index === 'number' ? index : undefined);
}

/**
 * Returns the failure of a round whose response is incomplete; undefined when the client still gets its body.
 * JSON of another shape passes unchanged; a text that is not JSON may have been cut off.
 */
export function unfinishedFailure(
  { body, isWhole, rounds }: Pick<PartState<unknown>, 'body' | 'isWhole' | 'rounds'>,
  hasBegun: boolean,
  hidden: HiddenNames,
): RoundFailure | undefined {
  if (body === undefined || hasBegun) return roundFailure('truncated');
  const mayPass = isWhole && rounds === 1 && !hidden.areIn(body) && parseJson(body) !== undefined;
  return mayPass ? undefined : roundFailure('malformed_answer');
}
