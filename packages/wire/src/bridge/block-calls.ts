import { type WholeBody, withData } from '../framing/wire-event.ts';
import { readDataFirst } from '../joining/read-data.ts';
import { type Place, parseObject, spanAt, withChangesAt } from '../json/json-members.ts';
import {
  changeMembers,
  elementsOf,
  isJsonObject,
  type JsonObject,
  type MemberChanges,
  memberSpan,
  type Span,
  splice,
  textOf,
} from '../json/json-splice.ts';
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
    const { text } = event;
    const calls = wholeCalls(event, this.#places);
    const edits = calls.flatMap(({ span }, at) => {
      const change = changes[at];
      return change === undefined || change === 'drop'
        ? []
        : changeMembers(text, span, callChanges(change, this.#places.input));
    });
    const dropped = new Set(calls.filter((_, at) => changes[at] === 'drop').map(({ block }) => block));
    if (dropped.size === 0) return splice(text, edits);
    const list = spanOfContent(text, this.#places)!;
    const kept = elementsOf(text, list.start).filter((_, block) => !dropped.has(block));
    const within = kept.map((span) => splice(textOf(text, span), editsWithin(edits, span)));
    return splice(text, [{ ...list, text: `[${within.join(',')}]` }]);
  }
}

/** Writes the calls in a message of a history as the provider gets them. */
export function writeBlocks(
  text: string,
  message: unknown,
  { calls, places }: { readonly calls: CallWriter; readonly places: BlockPlaces },
): string {
  if (!isJsonObject(message) || message.role !== 'assistant' || !Array.isArray(message.content)) return text;
  const object = spanAt(text, []);
  const list = object && memberSpan(text, object.start, 'content');
  if (list === undefined) return text;
  const edits = callsIn(text, list, { content: message.content, places }).flatMap(({ span, call, input }) => {
    const name = textIn(call.name) ?? '';
    const id = textIn(call.id) ?? textIn(call.toolUseId);
    const written = calls.write({ id, name, arguments: input ?? '' });
    return written === undefined ? [] : changeMembers(text, span, callChanges(written, places.input));
  });
  return edits.length === 0 ? text : splice(text, edits);
}

/** A call in a list of blocks. */
interface BlockCall {
  /** The number of its block. */
  readonly block: number;
  readonly call: JsonObject;
  readonly span: Span;
  readonly input: string | undefined;
}

/** Returns the calls in a whole response, which is read for its parts and then rewritten. */
const wholeCalls = rememberBy((event: WholeBody, places: BlockPlaces): readonly BlockCall[] => {
  const { text } = event;
  if (!text.includes(places.begin.word)) return [];
  const list = spanOfContent(text, places);
  const body = readDataFirst(event);
  const holder = body && objectAt(body, places.content.slice(0, -1));
  const content = holder?.[places.content.at(-1)!];
  return list && Array.isArray(content) ? callsIn(text, list, { content, places }) : [];
});

function spanOfContent(text: string, { content }: BlockPlaces): Span | undefined {
  const holder = spanAt(text, content.slice(0, -1));
  return holder && memberSpan(text, holder.start, content.at(-1)!);
}

function callsIn(
  text: string,
  list: Span,
  { content, places }: { readonly content: readonly unknown[]; readonly places: BlockPlaces },
): readonly BlockCall[] {
  const [member] = places.call;
  return elementsOf(text, list.start).flatMap((element, block) => {
    const read = content[block];
    const call = isJsonObject(read) ? objectAt(read, places.call) : undefined;
    if (call === undefined || !places.isCall(call)) return [];
    const span = member === undefined ? element : memberSpan(text, element.start, member);
    return span === undefined ? [] : [{ block, call, span, input: inputText(text, span, places.input) }];
  });
}

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

function callChanges({ name, arguments: input }: PartChange, member: string): MemberChanges {
  return {
    ...(typeof name === 'string' && { name: JSON.stringify(name) }),
    ...(input !== undefined && { [member]: parseObject(input) === undefined ? '{}' : input }),
  };
}

function editsWithin(
  edits: readonly (Span & { readonly text: string })[],
  { start, end }: Span,
): (Span & { readonly text: string })[] {
  return edits
    .filter((edit) => edit.start >= start && edit.end <= end)
    .map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
}

function objectAt(value: JsonObject, place: Place): JsonObject | undefined {
  let found: unknown = value;
  for (const key of place) found = isJsonObject(found) ? found[key] : undefined;
  return isJsonObject(found) ? found : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
