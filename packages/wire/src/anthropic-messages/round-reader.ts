import type { Turn } from '../format/view.ts';
import { contentOf, type ShownBlock, type ThinkingPlace } from '../joining/block-reducer.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { memberOf } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { assembleBlock, type BlockAssembler } from './assemble-block.ts';
import { isThinking, isToolUse, type ToolUse } from './read-blocks.ts';

/** The most characters that the searches of one response may have. They are a few words each. */
const SEARCH_CHARS = 1024 * 1024;
/**
 * The most characters of a response that is kept: more than any model writes. A longer response is only
 * passed on.
 */
const RESPONSE_CHARS = 32 * 1024 * 1024;

/** The most blocks that may begin once memory has run out: a message has a few. */
const MOST_LATE_BLOCKS = 1_000;

/** The memory that a block takes in addition to its text, in characters. */
const BLOCK_CHARS = 500;

/** The findings of a reader so far. */
interface RoundFindings {
  /** The message without its content, as JSON; undefined before its start. */
  readonly message: string | undefined;
  /** The provider's own reason for the end of the response. */
  readonly stopReason: string | undefined;
  /** Undefined when the response reported none. */
  readonly usage: JsonObject | undefined;
  /** The error that the upstream sent within its response, as JSON. */
  readonly error: string | undefined;
  /** Whether the response is complete. */
  readonly isComplete: boolean;
  /** Whether there is a search, which the client must not see. */
  readonly hasSearch: boolean;
  /** Whether the response has a search but exceeds the limit on held content. */
  readonly heldTooMuch: boolean;
  /** Whether too many blocks began after memory had run out. */
  readonly isOverfull: boolean;
}

/** Reads one response of the upstream. It observes events, in order, and changes none. */
export interface RoundReader extends RoundFindings {
  /** Returns the blocks for the client, as JSON, in order. */
  visibleBlocks(): string[];
  /** Whether an event begins a search. */
  isSearchStart(event: ReadEvent): boolean;
  /** Takes the next event; returns its block if it has one. */
  observe(event: ReadEvent): RoundBlock | undefined;
  /** Returns the assistant's turn, without the searches that were cut off or abandoned with the response. */
  turn(): Turn;
}

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

/** Returns a reader for one response. `hidden` are the tools that the client does not know. */
export function readRound(
  hidden: HiddenNames,
  thinking: ThinkingPlace,
  keep: Keep = keepUpTo(RESPONSE_CHARS),
): RoundReader {
  const blocks: Block[] = [];
  const byIndex = new Map<unknown, Block>();
  let message: string | undefined;
  let stopReason: string | undefined;
  let usage: JsonObject | undefined;
  let error: string | undefined;
  let container: string | undefined;
  let isComplete = false;
  let searchChars = 0;
  let isLong = false;
  let lateBlocks = 0;
  const isFull = (): boolean => searchChars > SEARCH_CHARS || isLong;

  const startBlock = ({ data, body }: ReadEvent): Block | undefined => {
    const text = memberOf(data, 'content_block');
    if (text === undefined) return undefined;
    if (isLong) lateBlocks += 1;
    isLong ||= !keep(text.length + BLOCK_CHARS);
    const content = isJsonObject(body.content_block) ? body.content_block : {};
    const assembler = assembleBlock(text);
    const isHidden = isSearch(content, hidden);
    const block: Block = {
      isSearch: isHidden,
      isShown: thinking.shows(isHidden, isThinking(content)),
      isDirectCall: isToolUse(content) && isDirect(content),
      assembler,
      finish: () => assembler.finish(),
      call: isToolUse(content) ? content : undefined,
      type: content.type,
      isClosed: false,
    };
    blocks.push(block);
    byIndex.set(body.index, block);
    return block;
  };

  const continueBlock = (event: ReadEvent): Block | undefined => {
    const block = byIndex.get(event.body.index);
    isLong ||= !keep(event.data.length);
    if (block?.isSearch) searchChars += event.data.length;
    if (!isFull()) block?.assembler.add(event);
    return block;
  };

  const endMessage = ({ body }: ReadEvent): void => {
    const delta = isJsonObject(body.delta) ? body.delta : {};
    if (typeof delta.stop_reason === 'string') stopReason = delta.stop_reason;
    container = containerOf(delta) ?? container;
    if (isJsonObject(body.usage)) usage = finalUsage(usage ?? {}, body.usage);
  };

  return {
    get message() {
      return message;
    },
    get stopReason() {
      return stopReason;
    },
    get usage() {
      return usage;
    },
    get error() {
      return error;
    },
    get isComplete() {
      return isComplete;
    },
    get hasSearch() {
      return blocks.some((block) => block.isSearch);
    },
    get isOverfull() {
      return lateBlocks > MOST_LATE_BLOCKS;
    },
    get heldTooMuch() {
      return lateBlocks > MOST_LATE_BLOCKS || (isFull() && blocks.some((block) => block.isSearch));
    },
    isSearchStart: ({ type, body: { content_block: block } }) =>
      type === 'content_block_start' && isJsonObject(block) && isSearch(block, hidden),
    visibleBlocks: () => blocks.filter(({ isShown }) => isShown).map((block) => block.finish()),
    observe(event) {
      const { type, body, data } = event;
      if (type === 'content_block_start') return startBlock(event);
      if (type === 'content_block_delta') return continueBlock(event);
      if (type === 'message_start') {
        message = memberOf(data, 'message');
        container = containerOf(body.message) ?? container;
        usage =
          isJsonObject(body.message) && isJsonObject(body.message.usage) ? body.message.usage : undefined;
      } else if (type === 'message_delta') endMessage(event);
      else if (type === 'message_stop') isComplete = true;
      else if (type === 'error') error = data;
      const block = byIndex.get(body.index);
      if (block !== undefined && type === 'content_block_stop') block.isClosed = true;
      return block;
    },
    turn: () => ({
      ...readTurn(blocks, stopReason, hidden),
      ...(container === undefined ? {} : { state: container }),
    }),
  };
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
