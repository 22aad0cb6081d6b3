import { type Edit, memberSpan, splice, valueStart } from '@winnow/core';
import type { Keep } from '../format/response-joiner.ts';
import type {
  Plan,
  RequestView,
  SearchCall,
  ToolCall,
  ToolEntry,
  ToolSection,
  Turn,
} from '../format/view.ts';
import type { EventPlace } from '../joining/envelope-reducer.ts';
import { type RoundPart, RoundParts } from '../joining/envelope-state.ts';
import { type ReadEvent, readEvent } from '../joining/read-event.ts';
import { PART_CHARS } from '../joining/round-memory.ts';
import { memberOf, memberTexts, withMember, withMembers, withoutMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, parseJson, textOrNone } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import { elementTexts } from '../turns/visible-form.ts';
import { calledName, isFunctionCall } from './read-request.ts';

/** An output item of a response. */
interface RoundItem extends RoundPart {
  /**
   * Whether the client sees it. The provider refuses reasoning without the item that it led to, so reasoning
   * has the fate of the next item, and is undefined until that begins.
   */
  isShown: boolean | undefined;
  /** The item's latest JSON: at its start, then at its end. */
  text: string;
  /** The same item, parsed. */
  read: JsonObject;
}

/** Reads one response of the upstream. It observes events, in order, and changes none. */
export class RoundReader extends RoundParts<RoundItem> {
  readonly #kinds: ItemKinds;

  constructor(kinds: ItemKinds, keep?: Keep) {
    super('response', keep);
    this.#kinds = kinds;
  }

  /** Takes the next event; returns the item that it is about. */
  take(_: string, event: ReadEvent | undefined): RoundItem | undefined {
    if (event === undefined) return undefined;
    const { type, data, body } = event;
    this.note(event, ENDS.has(type));
    if (body.output_index === undefined) return undefined;
    const known = this.partAt(body.output_index);
    if (known?.isSearch) this.searchChars += data.length;
    if (!isJsonObject(body.item)) return known;
    const isKept = this.memory.mayKeep(data.length + PART_CHARS);
    // Some servers number all items 0.
    const isNext = known?.isDone === true && type === 'response.output_item.added';
    const item = known && !isNext ? known : this.#begin(body.item, body.output_index, isKept);
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
      if (begun.isSearch) this.searchChars += texts[index]!.length;
      begun.text = texts[index]!;
      begun.isDone = true;
    }
    return true;
  }

  get isOver(): boolean {
    return this.end !== undefined || this.isOverfull;
  }

  get hasFailed(): boolean {
    return this.end?.type === 'response.failed';
  }

  /** The provider's own reason for the end of the response. */
  get stopReason(): string | undefined {
    const { incomplete_details: details, status } = this.last;
    return (isJsonObject(details) ? textOrNone(details.reason) : undefined) ?? textOrNone(status);
  }

  /**
   * Returns the items for the client, as JSON, in order: those at the end of the response, or else the
   * received ones.
   */
  visibleParts(): string[] {
    const atEnd =
      this.end === undefined ? [] : memberTexts(memberOf(this.end.data, 'response') ?? '{}', 'output');
    const texts = atEnd.length >= this.parts.length ? atEnd : this.parts.map(({ text }) => text);
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
    return this.parts.flatMap(({ read }) => textOrNone(read.id) ?? []);
  }

  /** Returns the model's turn, without searches that were cut off. */
  turn(): Turn {
    const isWhole = this.end?.type === 'response.completed';
    const read = this.parts.filter(({ isSearch, isDone }) => !isSearch || (isWhole && isDone));
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

  /** Begins an item. Only the kind of an item that is not kept is known. */
  #begin(item: JsonObject, index: unknown, isKept: boolean): RoundItem {
    const isSearch = this.#kinds.isSearch(item);
    const isShown = item.type === 'reasoning' && this.#kinds.maySearch ? undefined : !isSearch;
    const begun: RoundItem = { isSearch, isShown, text: '{}', read: isKept ? item : {}, isDone: false };
    if (isShown === undefined) this.undecided.push(begun);
    else if (this.undecided.length > 0) {
      for (const reasoning of this.undecided) reasoning.isShown = isShown;
      this.undecided = [];
    }
    this.add(begun, index);
    return begun;
  }
}

function toCall(item: JsonObject): ToolCall {
  const id = textOrNone(item.call_id) ?? textOrNone(item.id) ?? '';
  return { id, name: isFunctionCall(item) ? calledName(item) : (textOrNone(item.name) ?? String(item.type)) };
}

/** Returns an event's data with other numbers, if it has numbers. */
export function withPlace({ data, body }: ReadEvent, { sequence, index }: EventPlace): string {
  const edits: Edit[] = [];
  const set = (key: string, value: number) => {
    const span = memberSpan(data, valueStart(data), key);
    if (span !== undefined && body[key] !== value) edits.push({ ...span, text: String(value) });
  };
  set('sequence_number', sequence);
  if (index !== undefined) set('output_index', index);
  return edits.length === 0 ? data : splice(data, edits);
}

/**
 * Returns an item, given as JSON, with its function as the client declared it. A function that was loaded on
 * its own is called in a namespace of its own name. The client never declared that namespace, and agents
 * reject it.
 */
function asDeclared(item: string, read: unknown, isLone: (name: string) => boolean): string {
  if (!isJsonObject(read) || read.type !== 'function_call') return item;
  const { name, namespace } = read;
  const isMadeUp = typeof name === 'string' && namespace === name && isLone(name);
  return isMadeUp ? withoutMembers(item, ['namespace']) : item;
}

/** Returns an event's data with its item as the client declared it. */
export function withDeclaredItem(data: string, item: unknown, isLone: (name: string) => boolean): string {
  return withMember(data, 'item', (text) => asDeclared(text, item, isLone));
}

/** Returns a response, given as JSON, with its items as the client declared them. */
export function withDeclaredOutput(response: string, isLone: (name: string) => boolean): string {
  if (!response.includes('"namespace"')) return response;
  return withMember(response, 'output', (output) => {
    const items = elementTexts(output);
    const known = items.map((item) => asDeclared(item, parseJson(item), isLone));
    return known.every((item, at) => item === items[at]) ? output : `[${known.join(',')}]`;
  });
}

/** Classifies the items of one exchange. */
export interface ItemKinds {
  /** Whether some item may be a search. */
  readonly maySearch: boolean;
  /** Whether an item is a search for Winnow. */
  readonly isSearch: (item: JsonObject) => boolean;
  /** Reads a search, given as a call. */
  readonly readSearch: (call: ToolCall, item: JsonObject) => SearchCall;
  /** Whether the client's side has to answer an item. */
  readonly isForClient: (item: JsonObject, others: readonly JsonObject[]) => boolean;
  /** Whether the client has declared a function of this name outside all namespaces. */
  readonly isLone: (name: string) => boolean;
}

/**
 * Returns the kinds of items in responses to a request.
 *
 * A search is a call of the search tool or, in native mode, of the vendor's own tool search with execution by
 * the client. A client with its own tool search is left alone.
 */
export function itemKinds({ toolSection }: RequestView, plan: Plan): ItemKinds {
  const { loadMode, searchTool } = plan;
  const hidden = hiddenNames(plan);
  const { lone, custom } = toolSection === undefined ? NO_NAMES : namesIn(toolSection);
  return {
    maySearch: !hidden.isEmpty,
    isSearch: (item) => {
      if (hidden.isEmpty) return false;
      if (item.type === 'tool_search_call') {
        return searchTool !== undefined && loadMode === 'native' && item.execution === 'client';
      }
      // Some servers leave its id out.
      return item.type === 'function_call' && hidden.has(calledName(item)) && isDirect(item);
    },
    readSearch: (call, item) => hidden.readCall(call, item.arguments),
    isForClient: (item, others) => {
      if (isFunctionCall(item)) return isDirect(item);
      // Some providers run their own tools, whose calls look like calls for the client.
      if (item.type === 'custom_tool_call') return custom.has(String(item.name));
      return CLIENT_RUN.has(item.type) && !others.some((other) => isOutputOf(other, item));
    },
    isLone: (name) => lone.has(name),
  };
}

/** Returns the names declared outside all namespaces: those of functions, and all others. */
const namesIn = rememberBy(({ lists: [outer], entries }: ToolSection) => {
  const own = entries.filter(({ list }) => list === outer);
  const namesOf = (wanted: ToolEntry['kind']): ReadonlySet<string> =>
    new Set(own.flatMap(({ kind, name }) => (kind === wanted ? (name ?? []) : [])));
  return { lone: namesOf('function'), custom: namesOf('other') };
});

const NO_NAMES = { lone: new Set<string>(), custom: new Set<string>() };

/** Calls that the client answers, unless the provider has. */
const CLIENT_RUN: ReadonlySet<unknown> = new Set([
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

function isOutputOf(other: JsonObject, { call_id: id }: JsonObject): boolean {
  return id !== undefined && other.call_id === id && String(other.type).endsWith('_output');
}

/** Whether the model itself calls, not one of its programs. */
export function isDirect({ caller }: JsonObject): boolean {
  return !isJsonObject(caller) || caller.type === 'direct';
}

/** Types of events that hold the response without its output, before any item. */
export const STARTS: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
]);

/** Types of events that end a response. */
export const ENDS: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);

/**
 * Returns the events that would stream a whole response, each item complete in its start; undefined when the
 * text is not a response.
 */
export function eventsOfWhole(text: string): ReadEvent[] | undefined {
  const body = parseJson(text);
  if (!isJsonObject(body) || !Array.isArray(body.output)) return undefined;
  const items = memberTexts(text, 'output');
  const end = ENDS.has(`response.${body.status}`) ? `response.${body.status}` : 'response.completed';
  const parts = [
    `{"type":"response.created","response":${withMembers(text, { output: '[]', status: '"in_progress"' })}}`,
    ...items.flatMap((item, index) => [
      `{"type":"response.output_item.added","output_index":${index},"item":${item}}`,
      `{"type":"response.output_item.done","output_index":${index},"item":${item}}`,
    ]),
    `{"type":"${end}","response":${text}}`,
  ];
  return parts.flatMap((part) => readEvent(part) ?? []);
}
