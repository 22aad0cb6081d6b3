import { changeMembers, parseJson, splice, valueSpan } from '@winnow/core';
import type { Keep } from '../format/response-joiner.ts';
import type { Turn } from '../format/view.ts';
import { contentOf, type ShownBlock, type ThinkingPlace } from '../joining/block-reducer.ts';
import { ReadParts } from '../joining/part-state.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { PART_CHARS } from '../joining/round-memory.ts';
import { memberOf, memberTexts } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { isThinking, isToolUse, type ToolUse } from './read-request.ts';

/** A content block of a response. */
export interface RoundBlock extends ShownBlock {
  /** Whether this is a call of the search tool, which the client must not see. */
  readonly isSearch: boolean;
  /** Whether the model itself calls one of the client's tools here. */
  readonly isDirectCall: boolean;
  readonly assembler: BlockAssembler;
}

interface Block extends RoundBlock {
  /** Undefined for a block that calls none of the client's tools. */
  readonly call: ToolUse | undefined;
  readonly type: unknown;
  isClosed: boolean;
}

/** Reads one response of the upstream. It observes events, in order, and changes none. */
export class RoundReader extends ReadParts<Block> {
  /** The message without its content, as JSON; undefined before its start. */
  message: string | undefined;
  /** The provider's own reason for the end of the response. */
  stopReason: string | undefined;
  /** Undefined when the response reported none. */
  usage: JsonObject | undefined;
  /** The edits by which the provider cleared a part of the request, as JSON. */
  clearings: readonly string[] = [];
  /** The error that the upstream sent within its response, as JSON. */
  error: string | undefined;
  /** Whether the response is complete. */
  isComplete = false;
  readonly #hidden: HiddenNames;
  readonly #thinking: ThinkingPlace;
  readonly #byIndex = new Map<unknown, Block>();
  #container: string | undefined;

  /** `hidden` are the tools that the client does not know. */
  constructor(hidden: HiddenNames, thinking: ThinkingPlace, keep: Keep | undefined) {
    super(keep);
    this.#hidden = hidden;
    this.#thinking = thinking;
  }

  /** Whether an event begins a search. */
  isSearchStart({ type, body: { content_block: block } }: ReadEvent): boolean {
    return type === 'content_block_start' && isJsonObject(block) && isSearch(block, this.#hidden);
  }

  /** Returns the blocks for the client, as JSON, in order. */
  visibleBlocks(): string[] {
    return this.parts.filter(({ isShown }) => isShown).map((block) => block.finish());
  }

  /** Takes the next event; returns its block if it has one. */
  observe(event: ReadEvent): RoundBlock | undefined {
    const { type, body, data } = event;
    switch (type) {
      case 'content_block_start':
        return this.#startBlock(event);
      case 'content_block_delta':
        return this.#continueBlock(event);
      case 'message_start':
        this.#startMessage(event);
        break;
      case 'message_delta':
        this.#endMessage(body);
        this.clearings = clearingsIn(data);
        break;
      case 'message_stop':
        this.isComplete = true;
        break;
      case 'error':
        this.error = data;
    }
    const block = this.#byIndex.get(body.index);
    if (block !== undefined && type === 'content_block_stop') block.isClosed = true;
    return block;
  }

  /** Returns the assistant's turn, without the searches that were cut off or abandoned with the response. */
  turn(): Turn {
    return {
      ...readTurn(this.parts, this.stopReason, this.#hidden),
      ...(this.#container !== undefined && { state: this.#container }),
    };
  }

  #startMessage({ data, body: { message } }: ReadEvent): void {
    this.message = memberOf(data, 'message');
    this.#container = containerOf(message) ?? this.#container;
    this.usage = isJsonObject(message) && isJsonObject(message.usage) ? message.usage : undefined;
  }

  #endMessage(body: JsonObject): void {
    const delta = isJsonObject(body.delta) ? body.delta : {};
    if (typeof delta.stop_reason === 'string') this.stopReason = delta.stop_reason;
    this.#container = containerOf(delta) ?? this.#container;
    if (isJsonObject(body.usage)) this.usage = finalUsage(this.usage ?? {}, body.usage);
  }

  #startBlock({ data, body }: ReadEvent): Block | undefined {
    const text = memberOf(data, 'content_block');
    if (text === undefined) return undefined;
    this.memory.begin();
    this.memory.mayKeep(text.length + PART_CHARS);
    const content = isJsonObject(body.content_block) ? body.content_block : {};
    const assembler = assembleBlock(text);
    const isHidden = isSearch(content, this.#hidden);
    const block: Block = {
      isSearch: isHidden,
      isShown: this.#thinking.shows(isHidden, isThinking(content)),
      isDirectCall: isToolUse(content) && isDirect(content),
      assembler,
      finish: () => assembler.finish(),
      call: isToolUse(content) ? content : undefined,
      type: content.type,
      isClosed: false,
    };
    this.parts.push(block);
    this.#byIndex.set(body.index, block);
    return block;
  }

  #continueBlock(event: ReadEvent): Block | undefined {
    const block = this.#byIndex.get(event.body.index);
    this.memory.mayKeep(event.data.length);
    if (block?.isSearch) this.searchChars += event.data.length;
    if (!this.isFull) block?.assembler.add(event);
    return block;
  }
}

/** Returns the edits of the context that the end of a message reports, as JSON. */
export function clearingsIn(end: string): readonly string[] {
  const management = memberOf(end, 'context_management');
  return management?.includes('"applied_edits"') ? memberTexts(management, 'applied_edits') : [];
}

/**
 * Returns the container in which the provider ran code for a message: a turn's state in this format. The
 * start or the end of a message may name it.
 */
function containerOf(part: unknown): string | undefined {
  const container = isJsonObject(part) ? part.container : undefined;
  return isJsonObject(container) && typeof container.id === 'string' ? container.id : undefined;
}

/**
 * Whether a block is a search. A member of a toolset may have the search tool's name, and a program receives
 * the result of its own call.
 */
function isSearch(block: JsonObject, hidden: HiddenNames): boolean {
  return isToolUse(block) && hidden.has(block.name) && !block.toolset_name && isDirect(block);
}

function isDirect({ caller }: JsonObject): boolean {
  return !isJsonObject(caller) || caller.type === 'direct';
}

/** Stop reasons that leave the last call unfinished, or all calls without effect. */
const CUT_OFF = new Set<unknown>([
  'max_tokens',
  'model_context_window_exceeded',
  'stop_sequence',
  'refusal',
  'pause_turn',
]);

function readTurn(blocks: readonly Block[], stopReason: string | undefined, hidden: HiddenNames): Turn {
  // When a model hands over to another, its calls are dropped: only calls after the last `fallback` count.
  const handover = blocks.findLastIndex(({ type }) => type === 'fallback');
  const isValid = (block: Block, index: number) =>
    block.isClosed && index > handover && !CUT_OFF.has(stopReason);
  const searches = new Set(blocks.filter((block, index) => block.isSearch && isValid(block, index)));
  const said = blocks.filter((block) => !block.isSearch || searches.has(block));
  const { content, ...unshown } = contentOf(said, isWorthSaying);
  return {
    message: `{"role":"assistant","content":${content}}`,
    ...unshown,
    realCalls: blocks.flatMap(({ isSearch, call }, index) =>
      call === undefined || isSearch || index < handover ? [] : [{ id: call.id, name: call.name }],
    ),
    searches: [...searches].map(({ call, assembler }) =>
      hidden.readCall({ id: call!.id, name: call!.name }, assembler.input()),
    ),
  };
}

/**
 * Whether a block may be sent back. Models send blank text, but the API rejects it, and anything that is not
 * a block.
 */
function isWorthSaying(block: string): boolean {
  const parsed: unknown = JSON.parse(block);
  if (!isJsonObject(parsed)) return false;
  const { type, text } = parsed;
  return type !== 'text' || typeof text !== 'string' || text.trim() !== '';
}

/**
 * Returns the usage of a call whose counts arrive twice: at its start and, cumulative, at its end.
 *
 * The counts at the end replace those at the start, unless they are null.
 */
export function finalUsage(atStart: JsonObject, atEnd: JsonObject): JsonObject {
  const reported = Object.entries(atEnd).filter(([name, value]) => value !== null || !(name in atStart));
  return { ...atStart, ...Object.fromEntries(reported) };
}

/** Reassembles a content block from its start and its deltas. */
interface BlockAssembler {
  /** Whether any of the block's input arrived in deltas. */
  hasInputDelta(): boolean;
  /** Takes a `content_block_delta`. Unknown kinds are continued like the known ones. */
  add(event: ReadEvent): void;
  /** Returns the arguments received so far, as JSON text from the model, which may be invalid. */
  input(): string;
  /**
   * Returns the block as JSON. Members of its start keep their bytes; an input that is not an object becomes
   * `{}`.
   */
  finish(): string;
}

/** Returns an assembler for the block that starts with this `content_block`, given as JSON. */
function assembleBlock(start: string): BlockAssembler {
  const pieces = new Map<string, string[]>();
  const values = new Map<string, string>();
  const citations: string[] = [];
  const partialInput = (): string => pieces.get('partial_json')?.join('') ?? '';
  const input = (): string => partialInput() || (memberOf(start, 'input') ?? '');

  const addMember = (key: string, value: unknown, event: ReadEvent): void => {
    // A signature arrives in one piece; every other text member is continued.
    if (typeof value === 'string' && key !== 'signature') appendTo(pieces, key, value);
    else if (key === 'citation') citations.push(deltaMember(event, key));
    else values.set(key, deltaMember(event, key));
  };

  const finalMembers = (): Map<string, string> => {
    const members = new Map([...pieces].map(([key, parts]) => [key, continueText(start, key, parts)]));
    if (members.delete('partial_json')) members.set('input', isObject(input()) ? input() : '{}');
    if (citations.length > 0)
      members.set('citations', `[${[...memberTexts(start, 'citations'), ...citations].join(',')}]`);
    // A null next to a text tells nothing: a compaction begins or ends with one.
    return new Map([...values, ...members]);
  };

  return {
    hasInputDelta: () => partialInput() !== '',
    add(event) {
      const { delta } = event.body;
      if (!isJsonObject(delta)) return;
      for (const [key, value] of Object.entries(delta)) if (key !== 'type') addMember(key, value, event);
    },
    input,
    finish() {
      const block = valueSpan(start);
      // A value that is not a block stays unchanged.
      if (start[block.start] !== '{') return start;
      return splice(start, changeMembers(start, block, Object.fromEntries(finalMembers())));
    },
  };
}

/** Returns a member of the event's delta in its original bytes. */
function deltaMember({ data }: ReadEvent, key: string): string {
  return memberOf(memberOf(data, 'delta')!, key)!;
}

function appendTo(strings: Map<string, string[]>, key: string, piece: string): void {
  const pieces = strings.get(key);
  if (pieces === undefined) strings.set(key, [piece]);
  else pieces.push(piece);
}

function continueText(start: string, key: string, pieces: readonly string[]): string {
  const beginning: unknown = JSON.parse(memberOf(start, key) ?? '""');
  return JSON.stringify((typeof beginning === 'string' ? beginning : '') + pieces.join(''));
}

function isObject(text: string): boolean {
  return isJsonObject(parseJson(text));
}
