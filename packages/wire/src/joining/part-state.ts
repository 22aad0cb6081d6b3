import type { RoundFailure } from '../format/response-joiner.ts';
import type { Turn } from '../format/view.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { roundFailure } from './round-failure.ts';
import type { ExchangeState, ResponseReader } from './round-joiner.ts';

/** Reads a response that is made of parts. */
export interface PartReader extends ResponseReader {
  /** Whether there is a search among them. */
  readonly hasSearch: boolean;
  turn(): Turn;
}

/** State of an exchange whose responses are made of numbered parts: blocks, items or steps. */
export interface PartState<Held> extends ExchangeState {
  readonly reader: PartReader;
  /** The last whole body of the current round, as it came. */
  readonly body: string | undefined;
  /** The places of the current response's parts. */
  readonly places: Places;
  /** Whether a part of this exchange was hidden, so that the upstream's numbers are no longer the client's. */
  readonly hasHidden: boolean;
  /** The held end of the current response's stream. It grows in place. */
  readonly tail: Held[];
}

/** The places of the parts of one response among all that the client gets. Made anew for each round. */
export class Places {
  readonly #places = new Map<object, number>();
  /** The first free place. */
  next: number;

  constructor(next = 0) {
    this.next = next;
  }

  /** The place of a part. `given` is the place that a new part has, if it has one; others get the first free one. */
  of(part: object, given: number | undefined): number {
    const place = this.#places.get(part) ?? given ?? this.next;
    this.next = Math.max(this.next, place + 1);
    this.#places.set(part, place);
    return place;
  }
}

/** Whether the client gets what the upstream sent. */
export function isUntouched({ rounds, reader }: Pick<PartState<unknown>, 'rounds' | 'reader'>): boolean {
  return rounds === 1 && !reader.hasSearch;
}

/** Whether a response ends for the sake of a call that the client does not see. */
export function promisesCall(reader: PartReader & { readonly stopReason: string | undefined }): boolean {
  return reader.hasSearch && reader.stopReason === 'tool_use' && reader.turn().realCalls.length === 0;
}

/** Whether parts still have the numbers that the upstream gives them. */
export function isNumberedAsSent({
  rounds,
  hasHidden,
}: Pick<ExchangeState, 'rounds'> & { hasHidden: boolean }) {
  return rounds === 1 && !hasHidden;
}

/** The place of a part that has this number upstream. */
export function placeOf(state: PartState<unknown>, part: object, index: unknown): number {
  return state.places.of(part, isNumberedAsSent(state) && typeof index === 'number' ? index : undefined);
}

/**
 * The failure of a round whose response has not come to its end; undefined where the client gets its body all the same. JSON of another shape passes
 * as it came; a text that is no JSON may have been cut.
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
