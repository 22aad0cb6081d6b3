import { isJsonObject, type JsonObject } from '../json-splice.ts';
import { readQuery } from '../read-query.ts';
import { sumCounts } from '../sum-counts.ts';
import type { Turn } from '../view.ts';
import { type AnswerEvent, memberOf } from './answer-events.ts';
import { assembleBlock, type BlockAssembler } from './assemble-block.ts';
import { finalUsage } from './final-usage.ts';
import { isToolUse, type ToolUse } from './read-blocks.ts';

/** How many characters the searches of one answer may have. They are a few words each. */
const SEARCH_CHARS = 1024 * 1024;
/** How many characters an answer may have to be kept: more than any model writes. A longer one can only be passed on. */
const ANSWER_CHARS = 32 * 1024 * 1024;

/** What one answer of the upstream has said so far. It observes events, in order, and changes none. */
export interface ResponseWatch {
  /** The message without its content, as JSON; undefined before its start. */
  readonly message: string | undefined;
  /** The provider's own word for why the answer ended. */
  readonly stopReason: string | undefined;
  /** Undefined when the answer reported none. */
  readonly usage: JsonObject | undefined;
  /** The error that the upstream sent within its answer, as JSON. */
  readonly error: string | undefined;
  /** Whether the answer has come to its end. */
  readonly isComplete: boolean;
  /** Whether there is anything that the client must not see. */
  readonly hasSearch: boolean;
  /** Whether there was a search, and more than may be held. */
  readonly heldTooMuch: boolean;
  /** The blocks for the client, as JSON, in order. */
  visibleBlocks(): string[];
  /** Takes the next event; for one about a block, gives the block. */
  observe(event: AnswerEvent): WatchedBlock | undefined;
  /** What the assistant said. Searches that were cut off or given up with the answer are left out of it. */
  turn(): Turn;
}

/** A content block of an answer. */
export interface WatchedBlock {
  /** A call of the phantom, which the client must not see. */
  readonly isSearch: boolean;
  readonly assembler: BlockAssembler;
}

interface Block extends WatchedBlock {
  /** Undefined for a block that calls nothing of the client's. */
  readonly call: ToolUse | undefined;
  readonly type: unknown;
  isClosed: boolean;
}

/** A watch for one answer. `searchToolName` is the phantom's name, undefined when there is none. */
export function watchResponse(searchToolName: string | undefined): ResponseWatch {
  const blocks: Block[] = [];
  const byIndex = new Map<unknown, Block>();
  let message: string | undefined;
  let stopReason: string | undefined;
  let usage: JsonObject | undefined;
  let error: string | undefined;
  let container: string | undefined;
  let isComplete = false;
  let searchChars = 0;
  let answerChars = 0;
  const isFull = (): boolean => searchChars > SEARCH_CHARS || answerChars > ANSWER_CHARS;

  const startBlock = ({ data, body }: AnswerEvent): Block | undefined => {
    const content = body.content_block;
    if (!isJsonObject(content)) return undefined;
    const block: Block = {
      isSearch: isSearch(content, searchToolName),
      assembler: assembleBlock(memberOf(data, 'content_block')!),
      call: isToolUse(content) ? content : undefined,
      type: content.type,
      isClosed: false,
    };
    blocks.push(block);
    byIndex.set(body.index, block);
    return block;
  };

  const continueBlock = (event: AnswerEvent): Block | undefined => {
    const block = byIndex.get(event.body.index);
    answerChars += event.data.length;
    if (block?.isSearch) searchChars += event.data.length;
    if (!isFull()) block?.assembler.add(event);
    return block;
  };

  const endMessage = ({ body }: AnswerEvent): void => {
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
    get heldTooMuch() {
      return isFull() && blocks.some((block) => block.isSearch);
    },
    visibleBlocks: () => blocks.filter((block) => !block.isSearch).map(({ assembler }) => assembler.finish()),
    observe(event) {
      const { type, body, data } = event;
      if (type === 'content_block_start') return startBlock(event);
      if (type === 'content_block_delta') return continueBlock(event);
      if (type === 'message_start') {
        message = memberOf(data, 'message');
        usage =
          isJsonObject(body.message) && isJsonObject(body.message.usage) ? body.message.usage : undefined;
      } else if (type === 'message_delta') endMessage(event);
      else if (type === 'message_stop') isComplete = true;
      else if (type === 'error') error = data;
      const block = byIndex.get(body.index);
      if (block !== undefined && type === 'content_block_stop') block.isClosed = true;
      return block;
    },
    turn: () => ({ ...readTurn(blocks, stopReason), ...(container === undefined ? {} : { container }) }),
  };
}

/** The usage of several answers, undefined when none reported any. */
export function sumUsage(watches: readonly ResponseWatch[]): JsonObject | undefined {
  const reported = watches.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  return reported.length === 0 ? undefined : reported.reduce(sumCounts);
}

/** The container in which the provider ran code for a message; both its start and its end may tell. */
function containerOf(part: unknown): string | undefined {
  const container = isJsonObject(part) ? part.container : undefined;
  return isJsonObject(container) && typeof container.id === 'string' ? container.id : undefined;
}

/** A toolset's member may have the phantom's name, and a program's call is answered by the program. */
function isSearch(block: JsonObject, searchToolName: string | undefined): boolean {
  const { toolset_name: toolset, caller } = block;
  const isDirect = !isJsonObject(caller) || caller.type === 'direct';
  return isToolUse(block) && block.name === searchToolName && !toolset && isDirect;
}

/** Reasons that leave the last call unfinished, or all of them without effect. */
const CUT_OFF = new Set<unknown>([
  'max_tokens',
  'model_context_window_exceeded',
  'stop_sequence',
  'refusal',
  'pause_turn',
]);

function readTurn(blocks: readonly Block[], stopReason: string | undefined): Turn {
  // A model that hands over to another leaves its calls behind: only those after the last `fallback` count.
  const handover = blocks.findLastIndex(({ type }) => type === 'fallback');
  const isValid = (block: Block, index: number) =>
    block.isClosed && index > handover && !CUT_OFF.has(stopReason);
  const searches = new Set(blocks.filter((block, index) => block.isSearch && isValid(block, index)));
  const said = blocks
    .filter((block) => !block.isSearch || searches.has(block))
    .map(({ assembler }) => assembler.finish());
  return {
    message: `{"role":"assistant","content":[${said.filter(isWorthSaying).join(',')}]}`,
    realCalls: blocks.flatMap(({ isSearch, call }, index) =>
      call === undefined || isSearch || index < handover ? [] : [{ id: call.id, name: call.name }],
    ),
    searches: [...searches].map(({ call, assembler }) => ({
      id: call!.id,
      name: call!.name,
      query: readQuery(assembler.input()),
    })),
  };
}

/** Blank text is sent by models and rejected when it comes back. */
function isWorthSaying(block: string): boolean {
  const { type, text } = JSON.parse(block) as JsonObject;
  return type !== 'text' || typeof text !== 'string' || text.trim() !== '';
}
