import { memberOf } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { EnvelopePart } from './envelope-state.ts';
import type { Keep } from './keep.ts';
import type { ReadEvent } from './read-event.ts';
import { RoundMemory } from './round-memory.ts';

/** The most characters that the searches of one response may have. They are a few words each. */
const SEARCH_CHARS = 1024 * 1024;

/** A part of a response: an item or a step. */
export interface RoundPart extends EnvelopePart {
  /** Whether this is a search, which the client must not see. */
  readonly isSearch: boolean;
  isShown: boolean | undefined;
  isDone: boolean;
}

/**
 * The parts of one response of the upstream, in a format whose first and last events hold the response. A
 * reader of such a format observes events, in order, and changes none.
 */
export abstract class RoundParts<Part extends RoundPart> {
  /** The response in its first event, as JSON. */
  start: string | undefined;
  /** The event that ended the response. */
  end: ReadEvent | undefined;
  /** An error within the response. */
  error: ReadEvent | undefined;
  protected readonly parts: Part[] = [];
  /** Reasoning whose next part has not begun. */
  protected undecided: Part[] = [];
  protected searchChars = 0;
  /** The member of an event that holds the response. */
  readonly #envelope: string;
  /** Parts by their numbers, because one gateway changes ids in every event. */
  readonly #byIndex = new Map<unknown, Part>();
  protected readonly memory: RoundMemory;

  constructor(envelope: string, keep: Keep | undefined) {
    this.#envelope = envelope;
    this.memory = new RoundMemory(keep);
  }

  get hasSearch(): boolean {
    return this.parts.some(({ isSearch }) => isSearch);
  }

  /** Whether the response has a search but exceeds the limit on held content. */
  get heldTooMuch(): boolean {
    return this.isOverfull || (this.hasSearch && (this.searchChars > SEARCH_CHARS || this.memory.isShort));
  }

  /** Whether too many parts began after memory had run out. */
  get isOverfull(): boolean {
    return this.memory.isOverfull;
  }

  /** The response's id; undefined before its start, and when it is not stored. */
  get id(): string | undefined {
    return textOrNone(this.last.id) ?? textOrNone(parseJson(memberOf(this.start ?? '{}', 'id') ?? 'null'));
  }

  /** Undefined when the response reported none. */
  get usage(): JsonObject | undefined {
    const { usage } = this.last;
    return isJsonObject(usage) ? usage : undefined;
  }

  /** The response in the event that ended it; an empty object without one. */
  protected get last(): JsonObject {
    const response = this.end?.body[this.#envelope];
    return isJsonObject(response) ? response : {};
  }

  /** Keeps an event that begins or ends the response, or is an error. */
  protected note(event: ReadEvent, isEnd: boolean): void {
    const { type, data, body } = event;
    if (isEnd) this.end = event;
    if (type === 'error') this.error = event;
    if (this.start === undefined && isJsonObject(body[this.#envelope]) && this.memory.mayKeep(data.length)) {
      this.start = memberOf(data, this.#envelope);
    }
  }

  protected partAt(index: unknown): Part | undefined {
    return this.#byIndex.get(index);
  }

  protected add(part: Part, index: unknown): void {
    this.memory.begin();
    this.parts.push(part);
    this.#byIndex.set(index, part);
  }
}
