import { type MemberChanges, memberSpan, type Span, textOf } from '@winnow/core';
import { type WholeBody, withData } from '../framing/framing.ts';
import { readDataFirst } from '../joining/read-event.ts';
import {
  memberTexts,
  type Place,
  parseObject,
  spanAt,
  withChangesAt,
  withElements,
} from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import type { CallEvent, CallEvents, CallPart, PartChange, PartChanges } from './call-events.ts';
import type { CallWriter } from './call-writer.ts';

/** The places of calls in the events and messages of a format whose responses consist of content blocks. */
export interface BlockPlaces {
  /** The member of an event with the number of its block. */
  readonly index: string;
  /** The call in the event that begins a block, and whether a block is one. */
  readonly begin: { readonly word: string; readonly place: Place };
  /** The object in the event that continues a call, and its member with the piece of the arguments. */
  readonly piece: { readonly word: string; readonly place: Place; readonly member: string };
  /** Whether an event ends a block. */
  isBlockEnd(event: JsonObject, name: string | undefined): boolean;
  /** Whether no block follows an event. */
  isEnd(event: JsonObject, name: string | undefined): boolean;
  /** The list of blocks in a whole response. */
  readonly content: Place;
  /** The call in a block. */
  readonly call: Place;
  /** Whether the call in a block is for the client. */
  isCall(call: JsonObject): boolean;
  /** The member of a call with its arguments. */
  readonly input: string;
}

const NO_PARTS: readonly CallPart[] = [];

/** Reads calls in blocks: each begins with a name, goes on with pieces of its arguments, and ends. */
export class BlockCalls implements CallEvents {
  readonly #places: BlockPlaces;
  /** The numbers of the blocks that are calls and have not ended. */
  readonly #open = new Set<number>();

  constructor(places: BlockPlaces) {
    this.#places = places;
  }

  partsOf(event: CallEvent): readonly CallPart[] {
    if (event.kind === 'whole') return wholeCalls(event, this.#places).map(readWhole);
    const { begin, piece } = this.#places;
    // Most events are text.
    const isPiece = this.#open.size > 0 && event.data.includes(piece.word);
    if (!isPiece && this.#open.size === 0 && !event.data.includes(begin.word)) return NO_PARTS;
    const read = readDataFirst(event);
    const call = read?.[this.#places.index];
    if (read === undefined || typeof call !== 'number') return NO_PARTS;
    return this.#partOf(event.data, read, { call, name: event.name });
  }

  endsCalls(event: CallEvent): boolean {
    if (event.kind === 'whole' || event.isError === true) return true;
    return this.#places.isEnd(readDataFirst(event) ?? {}, event.name);
  }

  rewrite(event: CallEvent, changes: PartChanges): CallEvent | undefined {
    if (event.kind === 'whole') return { ...event, text: this.#rewriteWhole(event, changes) };
    const [change] = changes;
    if (change === 'drop') return undefined;
    if (change === undefined) return event;
    const { begin, piece } = this.#places;
    const data = withChangesAt(
      event.data,
      { begin: begin.place, piece: piece.place },
      {
        begin: change.name === undefined ? undefined : callChanges(change, this.#places.input),
        piece:
          change.name === undefined && change.arguments !== undefined
            ? { [piece.member]: JSON.stringify(change.arguments) }
            : undefined,
      },
    );
    return withData(event, data);
  }

  #partOf(
    data: string,
    read: JsonObject,
    { call, name }: { readonly call: number; readonly name: string | undefined },
  ): readonly CallPart[] {
    const { begin, piece } = this.#places;
    const begun = objectAt(read, begin.place);
    if (begun !== undefined && this.#places.isCall(begun)) {
      this.#open.add(call);
      const span = spanAt(data, begin.place);
      return [
        { call, name: textIn(begun.name), arguments: span && givenIn(data, span, begun, this.#places.input) },
      ];
    }
    if (!this.#open.has(call)) return NO_PARTS;
    if (this.#places.isBlockEnd(read, name)) {
      this.#open.delete(call);
      return [{ call, isEnd: true }];
    }
    const text = textIn(objectAt(read, piece.place)?.[piece.member]);
    return text === undefined ? NO_PARTS : [{ call, arguments: text }];
  }

  #rewriteWhole(event: WholeBody, changes: PartChanges): string {
    const { content, call: place, input } = this.#places;
    const changeOf = new Map(wholeCalls(event, this.#places).map(({ block }, at) => [block, changes[at]]));
    return withElements(
      event.text,
      content.at(-1)!,
      (block, at) => {
        const change = changeOf.get(at);
        if (change === 'drop') return undefined;
        return change === undefined ? block : changeCall(block, place, callChanges(change, input));
      },
      content.slice(0, -1),
    );
  }
}

/** Writes the calls in a message of a history as the provider gets them. */
export function writeBlocks(
  text: string,
  message: unknown,
  { calls, places }: { readonly calls: CallWriter; readonly places: BlockPlaces },
): string {
  if (!isJsonObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return text;
  const content: readonly unknown[] = message.content;
  return withElements(text, 'content', (block, at) => {
    const read = callIn(block, content[at], places);
    if (read === undefined) return block;
    const { call, input = '' } = read;
    const id = textIn(call.id) ?? textIn(call.toolUseId);
    const written = calls.write({ id, name: textIn(call.name) ?? '', arguments: input });
    return written === undefined ? block : changeCall(block, places.call, callChanges(written, places.input));
  });
}

/** A call in a block, and its arguments as JSON. */
interface BlockCall {
  readonly call: JsonObject;
  readonly input: string | undefined;
}

/** Returns the call in a block, given as JSON and parsed; undefined for any other block. */
function callIn(text: string, block: unknown, places: BlockPlaces): BlockCall | undefined {
  const call = isJsonObject(block) ? objectAt(block, places.call) : undefined;
  if (call === undefined || !places.isCall(call)) return undefined;
  const span = spanAt(text, places.call);
  return span && { call, input: inputText(text, span, places.input) };
}

/** Returns the calls in a whole response, which is read for its parts and then rewritten. */
const wholeCalls = rememberBy((event: WholeBody, places: BlockPlaces) => {
  const { text } = event;
  if (!text.includes(places.begin.word)) return [];
  const [key, holder] = [places.content.at(-1)!, places.content.slice(0, -1)];
  const body = readDataFirst(event);
  const blocks = body && objectAt(body, holder)?.[key];
  if (!Array.isArray(blocks)) return [];
  return memberTexts(text, key, holder).flatMap((own, block) => {
    const read = callIn(own, blocks[block], places);
    return read === undefined ? [] : [{ ...read, block }];
  });
});

function readWhole({ call, input }: BlockCall, at: number): CallPart {
  return { call: at, name: textIn(call.name), arguments: input, isEnd: true };
}

/** Returns the arguments in the start of a block; undefined for the empty object in front of pieces. */
function givenIn(data: string, span: Span, call: JsonObject, member: string): string | undefined {
  const input = call[member];
  const isGiven = isJsonObject(input) && Object.keys(input).length > 0;
  return isGiven ? inputText(data, span, member) : undefined;
}

function inputText(text: string, call: Span, member: string): string | undefined {
  const span = memberSpan(text, call.start, member);
  return span && textOf(text, span);
}

function changeCall(block: string, place: Place, changes: MemberChanges): string {
  return withChangesAt(block, { call: place }, { call: changes });
}

function callChanges({ name, arguments: input }: PartChange, member: string): MemberChanges {
  return {
    ...(typeof name === 'string' && { name: JSON.stringify(name) }),
    ...(input !== undefined && { [member]: parseObject(input) === undefined ? '{}' : input }),
  };
}

function objectAt(value: JsonObject, place: Place): JsonObject | undefined {
  let found: unknown = value;
  for (const key of place) found = isJsonObject(found) ? found[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
