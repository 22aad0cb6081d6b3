import type { MemberChanges } from '@winnow/core';
import { type Keep, type RoundFailure, roundFailure } from '../format/response-joiner.ts';
import type { Turn } from '../format/view.ts';
import type { StreamEvent, WireEvent } from '../framing/framing.ts';
import { parseObject } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, parseJson, textOrNone } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { bedrock, exceptionOf } from '../vendors/bedrock.ts';
import type { ProxyError } from '../vendors/vendor.ts';
import type { ExchangeState, ResponseReader } from './round-joiner.ts';
import { RoundMemory } from './round-memory.ts';

/** Reads a response that consists of parts. */
export interface PartReader extends ResponseReader {
  /** Whether one of them is a search. */
  readonly hasSearch: boolean;
  turn(): Turn;
}

/** The most characters that the searches of one response may have. They are a few words each. */
const SEARCH_CHARS = 1024 * 1024;

/** The parts of one response. A reader of a format observes events, in order, and changes none. */
export abstract class ReadParts<Part extends { readonly isSearch: boolean }> {
  protected readonly parts: Part[] = [];
  protected readonly memory: RoundMemory;
  protected searchChars = 0;

  constructor(keep: Keep | undefined) {
    this.memory = new RoundMemory(keep);
  }

  get hasParts(): boolean {
    return this.parts.length > 0;
  }

  /** Whether there is a search, which the client must not see. */
  get hasSearch(): boolean {
    return this.parts.some(({ isSearch }) => isSearch);
  }

  /** Whether too many parts began after memory had run out. */
  get isOverfull(): boolean {
    return this.memory.isOverfull;
  }

  /** Whether nothing more of the response is kept. */
  protected get isFull(): boolean {
    return this.searchChars > SEARCH_CHARS || this.memory.isShort;
  }

  /** Whether the response has a search but exceeds the limit on held content. */
  get heldTooMuch(): boolean {
    return this.isOverfull || (this.isFull && this.hasSearch);
  }
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
  { hasBegun, isEmpty }: { readonly hasBegun: boolean; readonly isEmpty: boolean },
  hidden: HiddenNames,
): RoundFailure | undefined {
  if (body === undefined || hasBegun) return brokenOff(isEmpty);
  const mayPass = isWhole && rounds === 1 && !hidden.areIn(body) && parseJson(body) !== undefined;
  return mayPass ? undefined : roundFailure('malformed_answer', rounds === 1 ? undefined : body);
}

/** Returns the failure of a round that breaks off. A later round without content does not just end. */
export function brokenOff(isEmpty: boolean): RoundFailure {
  return { ...roundFailure('truncated'), ...(isEmpty && { isSilent: false }) };
}

/** Returns the error for a failed round: in the upstream's words, unless they name a hidden tool. */
export function ownError({ refusal, message }: RoundFailure, hidden: HiddenNames): ProxyError {
  const said = wordsOf(refusal?.body ?? '');
  return {
    status: refusal?.status ?? 502,
    message: said === undefined || hidden.areIn(said) ? message : said,
  };
}

/** The most characters of an error without known members, such as a page. */
const PAGE_CHARS = 2_000;

/** Returns the words of an error of any shape; undefined without any. */
function wordsOf(body: string): string | undefined {
  const read = parseJson(body);
  const page = read === undefined || (isJsonObject(read) && Object.keys(read).length > 0) ? body : '';
  return textOrNone(spokenIn(read)) ?? textOrNone(page.trim().slice(0, PAGE_CHARS));
}

/** Members in which servers say what went wrong, the most telling first. */
const TELLING = [
  ...['message', 'Message', 'msg', 'detail', 'error', 'errors', 'error_msg', 'err', 'Error', 'status_msg'],
  ...['faultstring', 'fault', 'base_resp', 'reason', 'title', 'response', 'data'],
];

/** The most levels of an error to look into. */
const MOST_LEVELS = 5;

function spokenIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value;
  if (!(value instanceof Object) || depth > MOST_LEVELS) return undefined;
  const inner = Array.isArray(value) ? value : TELLING.map((key) => (value as JsonObject)[key]);
  for (const one of inner) {
    const said = spokenIn(one, depth + 1);
    if (said) return said;
  }
  return undefined;
}

/** Errors for the body of a response that failed, as JSON. */
export interface ErrorBodies {
  readonly own: string;
  /** The upstream's error if it has the format's shape. */
  readonly sent: string | undefined;
}

/**
 * Returns the body of a response that failed: the upstream's error, unless it names a hidden tool. The client
 * gets a first body that is not a response unchanged, as it would without Winnow.
 */
export function failedBody(
  { rounds, body }: Pick<PartState<unknown>, 'rounds' | 'body'>,
  { reason }: RoundFailure,
  { own, sent }: ErrorBodies,
  hidden: HiddenNames,
): string {
  const isSent = rounds === 1 && (reason === 'malformed_answer' || reason === 'upstream_error');
  const text = (isSent ? body : undefined) ?? sent ?? own;
  return hidden.areIn(text) ? own : text;
}

/** Returns a body that has an error; undefined for a body of another shape. */
export function errorIn(body: string | undefined): string | undefined {
  return isJsonObject(parseObject(body ?? '')?.error) ? body : undefined;
}

/** State of an exchange with Bedrock that fails. */
interface FailingState extends Pick<PartState<unknown>, 'isWhole' | 'rounds' | 'body'> {
  /** The exception that the upstream has sent in its stream. */
  readonly error: StreamEvent | undefined;
}

/**
 * Returns the end of a failed response: the exception of a stream, or an error body. It has the message of a
 * refusal, unless that names a hidden tool.
 *
 * Only some exceptions may occur in a stream; any other becomes an internal error of the service. Source:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 */
export function failOnBedrock(
  state: FailingState,
  failure: RoundFailure,
  hidden: HiddenNames,
): readonly WireEvent[] {
  const { error, isWhole } = state;
  const { reason } = failure;
  if (!isWhole && reason === 'upstream_error' && error && !hidden.areIn(error.data)) return [error];
  const { status, message } = ownError(failure, hidden);
  if (isWhole) {
    const own = bedrock.errorBody({ status, message });
    return [{ kind: 'whole', text: failedBody(state, failure, { own, sent: undefined }, hidden) }];
  }
  const type = exceptionOf(status);
  const name = IN_STREAM.has(type) ? type : 'InternalServerException';
  const data = JSON.stringify({ message });
  return [{ kind: 'event', name: name[0]!.toLowerCase() + name.slice(1), data, isError: true }];
}

const IN_STREAM: ReadonlySet<string> = new Set([
  'InternalServerException',
  'ModelStreamErrorException',
  'ModelTimeoutException',
  'ServiceUnavailableException',
  'ThrottlingException',
  'ValidationException',
]);
