import type { RoundNotices } from '../format/response-joiner.ts';
import type { ToolCall, Turn } from '../format/view.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { memberOf, memberTexts } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { asDeclared } from './place-item.ts';
import { calledName, isFunctionCall } from './read-items.ts';
import { readNotices } from './read-notices.ts';
import { ENDS } from './response-events.ts';
import type { ItemKinds } from './search-items.ts';

/** The most characters that the searches of one response may have. They are a few words each. */
const SEARCH_CHARS = 1024 * 1024;
/**
 * The most characters of a response that is kept: more than any model writes. A longer response is only
 * passed on.
 */
const RESPONSE_CHARS = 32 * 1024 * 1024;

/** The most items that may begin once memory has run out: a response has a few. */
const MOST_LATE_ITEMS = 1_000;

/** The memory that an item takes in addition to its text, in characters. */
const ITEM_CHARS = 500;

/** An output item of a response. */
export interface RoundItem {
  /** Whether this is a search, which the client must not see. */
  readonly isSearch: boolean;
  /**
   * Whether the client sees it. The provider refuses reasoning without the item that it led to, so reasoning
   * has the fate of the next item, and is undefined until that begins.
   */
  isShown: boolean | undefined;
  /** The item's latest JSON: at its start, then at its end. */
  text: string;
  /** The same item, parsed. */
  read: JsonObject;
  isDone: boolean;
}

/** Reads one response of the upstream. It observes events, in order, and changes none. */
export class RoundReader {
  /** The response in its first event, as JSON. */
  start: string | undefined;
  /** The event that ended the response. */
  end: ReadEvent | undefined;
  /** An error within the response. */
  error: ReadEvent | undefined;
  readonly #kinds: ItemKinds;
  readonly #items: RoundItem[] = [];
  /** Reasoning whose next item has not begun. */
  #undecided: RoundItem[] = [];
  /** Items by `output_index`, because one gateway changes ids in every event. */
  readonly #byIndex = new Map<unknown, RoundItem>();
  readonly #keep: Keep;
  /** Whether some part of the response was not kept. */
  #isLong = false;
  #lateItems = 0;
  #searchChars = 0;

  constructor(kinds: ItemKinds, keep: Keep = keepUpTo(RESPONSE_CHARS)) {
    this.#kinds = kinds;
    this.#keep = keep;
  }

  /** Takes the next event; returns the item that it is about. */
  take(_: string, event: ReadEvent | undefined): RoundItem | undefined {
    if (event === undefined) return undefined;
    const { type, data, body } = event;
    if (ENDS.has(type)) this.end = event;
    if (type === 'error') this.error = event;
    if (this.start === undefined && isJsonObject(body.response) && this.#mayKeep(data.length)) {
      this.start = memberOf(data, 'response');
    }
    if (body.output_index === undefined) return undefined;
    const known = this.#byIndex.get(body.output_index);
    if (known?.isSearch) this.#searchChars += data.length;
    if (!isJsonObject(body.item)) return known;
    const isKept = this.#mayKeep(data.length + ITEM_CHARS);
    const item = known ?? this.#begin(body.item, body.output_index, isKept);
    if (isKept) {
      item.text = memberOf(data, 'item')!;
      item.read = body.item;
    }
    item.isDone ||= type === 'response.output_item.done';
    return item;
  }

  /**
   * Takes a whole response, whose memory is already reserved; returns false when the text is not a response.
   */
  takeWhole(text: string): boolean {
    const body = parseJson(text);
    if (!isJsonObject(body) || !Array.isArray(body.output)) return false;
    const type = `response.${body.status}`;
    this.start = text;
    this.end = {
      type: ENDS.has(type) ? type : 'response.completed',
      data: `{"response":${text}}`,
      body: { response: body },
    };
    const texts = body.output.length === 0 ? [] : memberTexts(text, 'output');
    for (const [index, item] of (body.output as readonly unknown[]).entries()) {
      if (!isJsonObject(item)) continue;
      const begun = this.#begin(item, index, true);
      if (begun.isSearch) this.#searchChars += texts[index]!.length;
      begun.text = texts[index]!;
      begun.isDone = true;
    }
    return true;
  }

  get hasSearch(): boolean {
    return this.#items.some(({ isSearch }) => isSearch);
  }

  /** Whether the response has a search but exceeds the limit on held content. */
  get heldTooMuch(): boolean {
    return this.isOverfull || (this.hasSearch && (this.#searchChars > SEARCH_CHARS || this.#isLong));
  }

  get isOver(): boolean {
    return this.end !== undefined || this.isOverfull;
  }

  get hasFailed(): boolean {
    return this.end?.type === 'response.failed';
  }

  /** Whether too many items began after memory had run out. */
  get isOverfull(): boolean {
    return this.#lateItems > MOST_LATE_ITEMS;
  }

  /** The response's id; undefined before its start, and when it has none. */
  get id(): string | undefined {
    const id = isJsonObject(this.end?.body.response) ? this.end.body.response.id : undefined;
    const first = parseJson(memberOf(this.start ?? '{}', 'id') ?? 'null');
    return textOf(id) ?? textOf(first);
  }

  /** Undefined when the response reported none. */
  get usage(): JsonObject | undefined {
    const usage = isJsonObject(this.end?.body.response) ? this.end.body.response.usage : undefined;
    return isJsonObject(usage) ? usage : undefined;
  }

  get notices(): RoundNotices | undefined {
    const response = this.end?.body.response;
    return isJsonObject(response) ? readNotices(response) : undefined;
  }

  /** The provider's own reason for the end of the response. */
  get stopReason(): string | undefined {
    const response = this.end?.body.response;
    if (!isJsonObject(response)) return undefined;
    const details = response.incomplete_details;
    return (isJsonObject(details) ? textOf(details.reason) : undefined) ?? textOf(response.status);
  }

  /**
   * Returns the items for the client, as JSON, in order: those at the end of the response, or else the
   * received ones.
   */
  visibleParts(): string[] {
    const atEnd =
      this.end === undefined ? [] : memberTexts(memberOf(this.end.data, 'response') ?? '{}', 'output');
    const texts = atEnd.length >= this.#items.length ? atEnd : this.#items.map(({ text }) => text);
    const items = texts.map(parseJson);
    const visible: string[] = [];
    let isNextShown = !this.hasSearch;
    for (const [at, item] of [...items.entries()].reverse()) {
      const isFollowing = isJsonObject(item) && item.type === 'reasoning';
      if (!isFollowing) isNextShown = !isJsonObject(item) || !this.#kinds.isSearch(item);
      if (isNextShown) visible.push(asDeclared(texts[at]!, item, this.#kinds.isLone));
    }
    return visible.reverse();
  }

  /** The ids of all items, including searches. */
  get itemIds(): string[] {
    return this.#items.flatMap(({ read }) => textOf(read.id) ?? []);
  }

  /** Returns the model's turn, without searches that were cut off. */
  turn(): Turn {
    const isWhole = this.end?.type === 'response.completed';
    const read = this.#items.filter(({ isSearch, isDone }) => !isSearch || (isWhole && isDone));
    const items = read.map((item) => item.read);
    return {
      message: `[${read.map(({ text }) => text).join(',')}]`,
      realCalls: read.flatMap(({ read: item, isSearch }) =>
        isSearch || !this.#kinds.isForClient(item, items) ? [] : [toCall(item)],
      ),
      searches: read.flatMap(({ read: item, isSearch }) =>
        isSearch ? [this.#kinds.readSearch(toCall(item), item)] : [],
      ),
    };
  }

  #mayKeep(chars: number): boolean {
    this.#isLong ||= !this.#keep(chars);
    return !this.#isLong;
  }

  /** Begins an item. Only the kind of an item that is not kept is known. */
  #begin(item: JsonObject, index: unknown, isKept: boolean): RoundItem {
    if (!isKept) this.#lateItems += 1;
    const isSearch = this.#kinds.isSearch(item);
    const isShown = item.type === 'reasoning' && this.#kinds.maySearch ? undefined : !isSearch;
    const begun: RoundItem = { isSearch, isShown, text: '{}', read: isKept ? item : {}, isDone: false };
    if (isShown === undefined) this.#undecided.push(begun);
    else if (this.#undecided.length > 0) {
      for (const reasoning of this.#undecided) reasoning.isShown = isShown;
      this.#undecided = [];
    }
    this.#items.push(begun);
    this.#byIndex.set(index, begun);
    return begun;
  }
}

function toCall(item: JsonObject): ToolCall {
  const id = textOf(item.call_id) ?? textOf(item.id) ?? '';
  return { id, name: isFunctionCall(item) ? calledName(item) : (textOf(item.name) ?? String(item.type)) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
