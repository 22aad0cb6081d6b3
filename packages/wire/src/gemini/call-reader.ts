import type { SearchCall, ToolCall } from '../format/view.ts';
import type { JsonObject } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { CallArguments } from './call-arguments.ts';
import { fieldOf } from './field-of.ts';
import { callKey, callOf, textOrNone } from './read-contents.ts';

/** How many calls may begin when no more is kept of them: a response has a few. */
const MOST_LATE_CALLS = 1_000;

/** A call of a response. */
interface ReadCall {
  readonly key: string;
  readonly name: string;
  readonly isSearch: boolean;
  /** The part that it began with. */
  readonly part: JsonObject;
  /** Undefined for a call that came in one part. */
  readonly pieces: CallArguments | undefined;
}

/** What a part is: no part of a call, the client's, or a search's. */
export type PartKind = 'other' | 'real' | 'search';

/**
 * Tells the calls of one response apart.
 *
 * Mostly a call is one part. Where arguments are streamed, its first part has the name, and says that it goes on; the parts that follow have no
 * name, and the last says nothing of going on. It may be empty: `{"functionCall":{}}`.
 *
 * Contract: for one response; takes its parts in order.
 */
export class CallReader {
  readonly #hidden: HiddenNames;
  readonly #calls: ReadCall[] = [];
  #open: ReadCall | undefined;
  #isKeeping = true;
  /** Calls that have begun although there was no memory for more. */
  #lateCalls = 0;

  constructor(hidden: HiddenNames) {
    this.#hidden = hidden;
  }

  get hasSearches(): boolean {
    return this.#calls.some(({ isSearch }) => isSearch);
  }

  /** Whether calls go on to begin although there is no memory for more: even what they are called adds up. */
  get isOverfull(): boolean {
    return this.#lateCalls > MOST_LATE_CALLS;
  }

  /** Calls for the client, in order. */
  get realCalls(): ToolCall[] {
    return this.#calls.filter(({ isSearch }) => !isSearch).map(({ key: id, name }) => ({ id, name }));
  }

  /** Calls of the search tool, in order. */
  get searches(): SearchCall[] {
    return this.#calls
      .filter(({ isSearch }) => isSearch)
      .map((call) => this.#hidden.readCall({ id: call.key, name: call.name }, argumentsOf(call)));
  }

  /** There is no memory for more: from now on only the kinds of calls and their names are kept. */
  stopKeeping(): void {
    this.#isKeeping = false;
  }

  /** Takes the next part. */
  take(part: JsonObject): PartKind {
    const called = callOf(part);
    if (called === undefined) return 'other';
    const goesOn = fieldOf(called, 'willContinue') === true;
    const name = textOrNone(called.name);
    if (name !== undefined) return this.#begin(part, called, { name, goesOn });
    const call = this.#open;
    if (call === undefined) return 'other';
    if (this.#isKeeping) call.pieces?.take(fieldOf(called, 'partialArgs'));
    if (!goesOn) this.#open = undefined;
    return call.isSearch ? 'search' : 'real';
  }

  /** A part as it is said to the provider again: a call with all of its arguments. Undefined for the rest of a call that came in several. */
  wholePart(part: JsonObject): JsonObject | undefined {
    const called = callOf(part);
    if (called === undefined) return part;
    const call = this.#calls.find((one) => one.part === part);
    if (call === undefined) return undefined;
    if (call.pieces === undefined) return part;
    const { willContinue, will_continue, partialArgs, partial_args, ...rest } = called;
    const { functionCall, function_call, ...others } = part;
    return { functionCall: { ...rest, args: call.pieces.value }, ...others };
  }

  #begin(
    part: JsonObject,
    called: JsonObject,
    { name, goesOn }: { readonly name: string; readonly goesOn: boolean },
  ): PartKind {
    const pieces = fieldOf(called, 'partialArgs');
    const isInPieces = goesOn || pieces !== undefined;
    const call: ReadCall = {
      key: callKey(called, this.#calls.length),
      name,
      isSearch: this.#hidden.has(name),
      part: this.#isKeeping ? part : {},
      pieces: isInPieces ? new CallArguments() : undefined,
    };
    if (this.#isKeeping) call.pieces?.take(pieces);
    else this.#lateCalls += 1;
    this.#calls.push(call);
    this.#open = goesOn ? call : undefined;
    return call.isSearch ? 'search' : 'real';
  }
}

function argumentsOf({ part, pieces }: ReadCall): unknown {
  return pieces === undefined ? callOf(part)?.args : pieces.value;
}
