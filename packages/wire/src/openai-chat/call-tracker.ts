import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import { calledArguments, calledName } from './read-message.ts';

/** A call, as far as its parts tell it apart from others. */
export class TrackedCall {
  /** Its position among all calls. */
  readonly ordinal: number;
  /** Its name so far, which some servers send in pieces and others repeat. */
  name = '';
  /** The latest id that the upstream sent. */
  sentId: string | undefined;
  hasArguments = false;
  readonly #progress = new ArgumentsProgress();

  constructor(ordinal: number) {
    this.ordinal = ordinal;
  }

  addPart(part: JsonObject): void {
    const name = calledName(part);
    if (!this.hasArguments && name !== this.name) this.name += name;
    this.sentId = textOrNone(part.id) ?? this.sentId;
    this.hasArguments ||= hasArguments(part);
    this.#progress.add(calledArguments(part));
  }

  /**
   * Whether a part begins another call on a used index. It has a name, and the call before it is complete, has
   * another name, or has another id and no arguments. A name alone may be the rest of one that arrives in
   * pieces.
   */
  endsBefore(part: JsonObject): boolean {
    const name = calledName(part);
    const id = textOrNone(part.id);
    if (name === '' || (id !== undefined && id === this.sentId)) return false;
    if (!this.hasArguments) return id !== undefined && this.sentId !== undefined;
    return name !== this.name || this.#progress.isComplete;
  }
}

/**
 * Finds the call that each part of a response belongs to.
 *
 * Compatible servers deviate: they number all calls 0 or not at all, omit or change ids, send names in
 * pieces, and arguments as an object. A part therefore belongs to the call with its index, otherwise to the
 * one with its id, otherwise to the latest, unless it begins another (`TrackedCall.endsBefore`).
 */
export class CallTracker<Call extends TrackedCall> {
  readonly calls: Call[] = [];
  readonly #create: (ordinal: number) => Call;
  readonly #byIndex = new Map<number, Call>();
  /** The latest call for each id. */
  readonly #byId = new Map<string, Call>();

  /** `create` returns a call that begins. */
  constructor(create: (ordinal: number) => Call) {
    this.#create = create;
  }

  /** Returns the call of a part, which may begin with it. */
  callOf(part: JsonObject): Call {
    const index = typeof part.index === 'number' ? part.index : undefined;
    const sameId = typeof part.id === 'string' ? this.#byId.get(part.id) : undefined;
    const known = index === undefined ? (sameId ?? this.calls.at(-1)) : this.#byIndex.get(index);
    if (known !== undefined && !known.endsBefore(part)) return known;
    const call = this.#create(this.calls.length);
    this.calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  /** Notes an id of a call. */
  noteId(call: Call, id: string): void {
    this.#byId.set(id, call);
  }
}

function hasArguments(part: JsonObject): boolean {
  const given = calledArguments(part) ?? (isJsonObject(part.custom) ? part.custom.input : undefined);
  return given !== undefined && given !== null && given !== '';
}

/**
 * Detects when streamed arguments of a call are complete: a text whose braces are balanced, or any value that
 * is not a string.
 *
 * Each character is read once: parsing the whole text for every piece would take quadratic time.
 */
class ArgumentsProgress {
  isComplete = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** Takes the arguments of one part; ignores undefined and null. */
  add(given: unknown): void {
    if (given === undefined || given === null) return;
    if (typeof given !== 'string') this.isComplete = true;
    else for (const character of given) this.#read(character);
  }

  #read(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString) {
      this.#isEscaped = character === '\\';
      this.#isInString = character !== '"';
    } else if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') {
      this.#depth += 1;
      this.isComplete = false;
    } else if (character === '}' || character === ']') {
      this.#depth = Math.max(0, this.#depth - 1);
      this.isComplete = this.#depth === 0;
    }
  }
}
