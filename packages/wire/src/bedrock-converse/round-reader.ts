import type { SearchCall, ToolCall, Turn } from '../format/view.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  textOf,
  valueStart,
} from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { BlockAssembler } from './assemble-block.ts';
import { toolUseOf } from './read-blocks.ts';

/** How many characters a response may have to be kept: more than any model writes. A longer one can only be passed on. */
const RESPONSE_CHARS = 32 * 1024 * 1024;
/** How many blocks may begin when no more is kept of them: a message has a few. */
const MOST_LATE_BLOCKS = 1_000;
/** What a block takes beside its text, as characters. */
const BLOCK_CHARS = 500;

/** A content block of a response. */
export interface RoundBlock {
  /** A call of the search tool, which the client must not see. */
  readonly isSearch: boolean;
  readonly call: ToolCall | undefined;
  /** The block as JSON, as far as it has come. */
  finish(): string;
  /** The arguments of a call: their text, or what they were parsed to. */
  input(): unknown;
}

interface StreamedBlock extends RoundBlock {
  readonly assembler: BlockAssembler;
}

/** Reasons that leave the last call unfinished, or all of them without effect. */
const CUT_OFF: ReadonlySet<unknown> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'stop_sequence',
  'guardrail_intervened',
  'content_filtered',
  'malformed_model_output',
]);

/**
 * What one response has said so far. It observes events, in order, and changes none.
 *
 * Contract: for one response, streamed or whole.
 */
export class RoundReader {
  stopReason: string | undefined;
  usage: JsonObject | undefined;
  metrics: JsonObject | undefined;
  /** Whether the reason why the response ended is there: what follows is its usage. */
  hasStopped = false;
  hasMetadata = false;
  readonly #hidden: HiddenNames;
  readonly #mayRepeat: boolean;
  readonly #keep: Keep;
  readonly #blocks: RoundBlock[] = [];
  readonly #byIndex = new Map<unknown, StreamedBlock>();
  #isLong = false;
  #lateBlocks = 0;

  /** `mayRepeat` is whether a search that the provider could not read may be taken for one without a query. */
  constructor(hidden: HiddenNames, mayRepeat: boolean, keep: Keep = keepUpTo(RESPONSE_CHARS)) {
    this.#hidden = hidden;
    this.#mayRepeat = mayRepeat;
    this.#keep = keep;
  }

  get hasSearch(): boolean {
    return this.#blocks.some(({ isSearch }) => isSearch);
  }

  /** Whether blocks go on to begin although there is no memory for more. */
  get isOverfull(): boolean {
    return this.#lateBlocks > MOST_LATE_BLOCKS;
  }

  /** Whether there was a search, and more than may be held. */
  get heldTooMuch(): boolean {
    return this.isOverfull || (this.#isLong && this.hasSearch);
  }

  /** The blocks for the client, as JSON, in order. */
  visibleBlocks(): string[] {
    return this.#blocks.filter(({ isSearch }) => !isSearch).map((block) => block.finish());
  }

  /** Takes an event about a block, and gives the block. A delta without a start begins one: texts and thinking have none. */
  takeBlock({ contentBlockIndex: index, start, delta }: JsonObject, chars: number): RoundBlock {
    this.#isLong ||= !this.#keep(chars);
    const block = this.#openBlock(index, start);
    if (isJsonObject(delta) && !this.#isLong) block.assembler.add(delta);
    return block;
  }

  /** Takes the `messageStop` of a stream, or the same members of a whole response. */
  takeStop({ stopReason }: JsonObject): void {
    this.hasStopped = true;
    if (typeof stopReason === 'string') this.stopReason = stopReason;
  }

  /** Takes the `metadata` of a stream, or the same members of a whole response. */
  takeMetadata({ usage, metrics }: JsonObject): void {
    this.hasMetadata = true;
    if (isJsonObject(usage)) this.usage = usage;
    if (isJsonObject(metrics)) this.metrics = metrics;
  }

  /** Takes a whole response; false for what is none. */
  takeWhole(body: JsonObject, text: string): boolean {
    const { output } = body;
    const message = isJsonObject(output) ? output.message : undefined;
    if (!isJsonObject(message) || !Array.isArray(message.content)) return false;
    const spans = contentSpans(text);
    for (const [at, value] of message.content.entries()) {
      const block = textOf(text, spans[at]!);
      this.#isLong ||= !this.#keep(block.length + BLOCK_CHARS);
      this.#blocks.push(this.#wholeBlock(value, block));
    }
    this.takeStop(body);
    this.takeMetadata(body);
    return true;
  }

  /** What the assistant said. Searches that were cut off or given up with the response are left out of it. */
  turn(): Turn {
    const isMalformed = this.stopReason === 'malformed_tool_use' && !this.#mayRepeat;
    const isCut = CUT_OFF.has(this.stopReason) || isMalformed;
    const said = this.#blocks.filter(({ isSearch }) => !isSearch || !isCut);
    const texts = said.map((block) => block.finish()).filter(isWorthSaying);
    return {
      message: `{"role":"assistant","content":[${texts.join(',')}]}`,
      realCalls: this.#blocks.flatMap(({ isSearch, call }) => (isSearch || !call ? [] : [call])),
      searches: said.flatMap((block): SearchCall[] =>
        block.isSearch ? [this.#hidden.readCall(block.call!, block.input())] : [],
      ),
    };
  }

  #openBlock(index: unknown, start: unknown): StreamedBlock {
    const present = this.#byIndex.get(index);
    if (present !== undefined && start === undefined) return present;
    this.#isLong ||= !this.#keep(BLOCK_CHARS);
    if (this.#isLong) this.#lateBlocks += 1;
    const head = isJsonObject(start) ? start : {};
    const assembler = new BlockAssembler(head);
    const block: StreamedBlock = {
      ...this.#kindOf(head),
      assembler,
      finish: () => assembler.finish(),
      input: () => assembler.input,
    };
    this.#blocks.push(block);
    this.#byIndex.set(index, block);
    return block;
  }

  #wholeBlock(value: unknown, text: string): RoundBlock {
    const block = isJsonObject(value) ? value : {};
    return { ...this.#kindOf(block), finish: () => text, input: () => toolUseOf(block)?.input };
  }

  #kindOf(block: JsonObject): Pick<RoundBlock, 'isSearch' | 'call'> {
    const call = toolUseOf(block);
    if (call === undefined) return { isSearch: false, call: undefined };
    const { toolUseId: id, name } = call;
    return { isSearch: this.#hidden.has(name), call: { id, name } };
  }
}

function contentSpans(text: string) {
  const output = memberSpan(text, valueStart(text), 'output')!;
  const message = memberSpan(text, output.start, 'message')!;
  return elementsOf(text, memberSpan(text, message.start, 'content')!.start);
}

/** Blank text is sent by models and refused when it comes back. */
function isWorthSaying(block: string): boolean {
  const parsed: unknown = JSON.parse(block);
  return isJsonObject(parsed) && !(typeof parsed.text === 'string' && parsed.text.trim() === '');
}
