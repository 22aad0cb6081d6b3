import type { SearchCall, ToolCall } from '../format/view.ts';
import type { RoundMemory } from '../joining/round-memory.ts';
import { type JsonObject, textOrNone } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { CallArguments } from './call-arguments.ts';
import { fieldOf } from './field-of.ts';
import { callKey, callOf } from './read-contents.ts';

/** A call of a response. */
interface ReadCall {
  readonly key: string;
  readonly name: string;
  readonly isSearch: boolean;
  /** The part that began the call. */
  readonly part: JsonObject;
  /** Undefined for a call in a single part. */
  readonly pieces: CallArguments | undefined;
}

/** The kind of a part: no part of a call, a part of the client's call, or of a search. */
export type PartKind = 'other' | 'real' | 'search';

/**
 * Assigns the parts of one response to its calls.
 *
 * A call is usually one part. If its arguments are streamed, the first part has the name and `willContinue`.
 * The following parts have no name, and the last lacks `willContinue`; it may be empty:
 * `{"functionCall":{}}`.
 *
 * Contract: for one response; takes its parts in order.
 */
export class CallReader {
  readonly #hidden: HiddenNames;
  readonly #calls: ReadCall[] = [];
  #open: ReadCall | undefined;
  readonly #memory: RoundMemory;

  /** Without memory, only the kinds of calls and their names are kept. */
  constructor(hidden: HiddenNames, memory: RoundMemory) {
    this.#hidden = hidden;
    this.#memory = memory;
  }

  get hasSearches(): boolean {
    return this.#calls.some(({ isSearch }) => isSearch);
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

  /** Takes the next part. */
  take(part: JsonObject): PartKind {
    const called = callOf(part);
    if (called === undefined) return 'other';
    const goesOn = fieldOf(called, 'willContinue') === true;
    const name = textOrNone(called.name);
    if (name !== undefined) return this.#begin(part, called, { name, goesOn });
    const call = this.#open;
    if (call === undefined) return 'other';
    if (!this.#memory.isShort) call.pieces?.take(fieldOf(called, 'partialArgs'));
    if (!goesOn) this.#open = undefined;
    return call.isSearch ? 'search' : 'real';
  }

  /**
   * Returns a part as it is sent back to the provider: a call with all of its arguments. Undefined for a
   * later part of a streamed call.
   */
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
      part: this.#memory.isShort ? {} : part,
      pieces: isInPieces ? new CallArguments() : undefined,
    };
    this.#memory.begin();
    if (!this.#memory.isShort) call.pieces?.take(pieces);
    this.#calls.push(call);
    this.#open = goesOn ? call : undefined;
    return call.isSearch ? 'search' : 'real';
  }
}

function argumentsOf({ part, pieces }: ReadCall): unknown {
  return pieces === undefined ? callOf(part)?.args : pieces.value;
}
