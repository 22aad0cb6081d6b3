import type { Keep } from '../format/response-joiner.ts';
import type { SearchCall, ToolCall, Turn } from '../format/view.ts';
import { contentOf, type ShownBlock, type ThinkingPlace } from '../joining/block-reducer.ts';
import { ReadParts } from '../joining/part-state.ts';
import { PART_CHARS } from '../joining/round-memory.ts';
import { memberTexts } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { isReasoning, toolUseOf } from './read-request.ts';

/** A content block of a response. */
export interface RoundBlock extends ShownBlock {
  /** Whether this is a call of the search tool, which the client must not see. */
  readonly isSearch: boolean;
  readonly call: ToolCall | undefined;
  /** Returns the arguments of a call: their text or their parsed value. */
  input(): unknown;
}

/** The place of a round in its exchange. */
export interface RoundPlace {
  /** Whether a search that the provider could not read counts as a search with an empty query. */
  readonly mayRepeat: boolean;
  readonly thinking: ThinkingPlace;
}

interface StreamedBlock extends RoundBlock {
  readonly assembler: BlockAssembler;
}

/** Stop reasons that leave the last call unfinished, or all calls without effect. */
const CUT_OFF: ReadonlySet<unknown> = new Set([
  'max_tokens',
  'model_context_window_exceeded',
  'stop_sequence',
  'guardrail_intervened',
  'content_filtered',
  'malformed_model_output',
]);

/**
 * Reads one response. It observes events, in order, and changes none.
 *
 * Contract: for one response, streamed or whole.
 */
export class RoundReader extends ReadParts<RoundBlock> {
  stopReason: string | undefined;
  usage: JsonObject | undefined;
  metrics: JsonObject | undefined;
  /** Whether the stop reason has arrived; only the usage follows it. */
  hasStopped = false;
  hasMetadata = false;
  readonly #hidden: HiddenNames;
  readonly #mayRepeat: boolean;
  readonly #thinking: ThinkingPlace;
  readonly #byIndex = new Map<unknown, StreamedBlock>();

  constructor(hidden: HiddenNames, { mayRepeat, thinking }: RoundPlace, keep: Keep | undefined) {
    super(keep);
    this.#hidden = hidden;
    this.#mayRepeat = mayRepeat;
    this.#thinking = thinking;
  }

  /** Returns the blocks for the client, as JSON, in order. */
  visibleBlocks(): string[] {
    return this.parts.filter(({ isShown }) => isShown).map((block) => block.finish());
  }

  /**
   * Takes an event about a block and returns the block. A delta without a start begins a block: texts and
   * thinking have no start.
   */
  takeBlock({ contentBlockIndex: index, start, delta }: JsonObject, chars: number): RoundBlock {
    this.memory.mayKeep(chars);
    const block = this.#openBlock(index, start, delta);
    if (isJsonObject(delta) && !this.memory.isShort) block.assembler.add(delta);
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

  /** Takes a whole response; returns false for any other body. */
  takeWhole(body: JsonObject, text: string): boolean {
    const { output } = body;
    const message = isJsonObject(output) ? output.message : undefined;
    if (!isJsonObject(message) || !Array.isArray(message.content)) return false;
    const blocks = memberTexts(text, 'content', ['output', 'message']);
    for (const [at, value] of message.content.entries()) {
      const block = blocks[at]!;
      this.memory.mayKeep(block.length + PART_CHARS);
      this.parts.push(this.#wholeBlock(value, block));
    }
    this.takeStop(body);
    this.takeMetadata(body);
    return true;
  }

  /** Returns the assistant's turn, without the searches that were cut off or abandoned with the response. */
  turn(): Turn {
    const isMalformed = this.stopReason === 'malformed_tool_use' && !this.#mayRepeat;
    const isCut = CUT_OFF.has(this.stopReason) || isMalformed;
    const said = this.parts.filter(({ isSearch }) => !isSearch || !isCut);
    const { content, ...unshown } = contentOf(said, isWorthSaying);
    return {
      message: `{"role":"assistant","content":${content}}`,
      ...unshown,
      realCalls: this.parts.flatMap(({ isSearch, call }) => (isSearch || !call ? [] : [call])),
      searches: said.flatMap((block): SearchCall[] =>
        block.isSearch ? [this.#hidden.readCall(block.call!, block.input())] : [],
      ),
    };
  }

  #openBlock(index: unknown, start: unknown, delta: unknown): StreamedBlock {
    const present = this.#byIndex.get(index);
    if (present !== undefined && start === undefined) return present;
    this.memory.mayKeep(PART_CHARS);
    this.memory.begin();
    const head = isJsonObject(start) ? start : {};
    const assembler = new BlockAssembler(head);
    const block: StreamedBlock = {
      ...this.#kindOf(isJsonObject(delta) ? { ...delta, ...head } : head),
      assembler,
      finish: () => assembler.finish(),
      input: () => assembler.input,
    };
    this.parts.push(block);
    this.#byIndex.set(index, block);
    return block;
  }

  #wholeBlock(value: unknown, text: string): RoundBlock {
    const block = isJsonObject(value) ? value : {};
    return { ...this.#kindOf(block), finish: () => text, input: () => toolUseOf(block)?.input };
  }

  #kindOf(block: JsonObject): Pick<RoundBlock, 'isSearch' | 'isShown' | 'call'> {
    const { toolUseId: id, name } = toolUseOf(block) ?? {};
    const call = id === undefined || name === undefined ? undefined : { id, name };
    const isSearch = call !== undefined && this.#hidden.has(name);
    return { isSearch, isShown: this.#thinking.shows(isSearch, isReasoning(block)), call };
  }
}

/** Whether a block may be sent back. Models send blank text, but the API rejects it. */
function isWorthSaying(block: string): boolean {
  const parsed: unknown = JSON.parse(block);
  return isJsonObject(parsed) && !(typeof parsed.text === 'string' && parsed.text.trim() === '');
}

/**
 * Reassembles a content block from its start, which texts and thinking lack, and its deltas.
 *
 * Contract: for one block; deltas arrive in order.
 */
class BlockAssembler {
  readonly #start: JsonObject;
  /** Pieces of the continued texts, by kind. */
  readonly #pieces = new Map<string, string[]>();
  readonly #lists = new Map<string, unknown[]>();
  #isReasoning = false;
  #signature: string | undefined;

  constructor(start: JsonObject) {
    this.#start = start;
  }

  /** Takes the `delta` of a `contentBlockDelta`. */
  add({ text, toolUse, reasoningContent, ...others }: JsonObject): void {
    this.#append('text', text);
    if (isJsonObject(toolUse)) this.#append('input', toolUse.input);
    if (isJsonObject(reasoningContent)) {
      const { text: thought, signature, redactedContent } = reasoningContent;
      this.#isReasoning = true;
      this.#append('thought', thought);
      this.#append('redacted', redactedContent);
      if (typeof signature === 'string') this.#signature = (this.#signature ?? '') + signature;
    }
    for (const [kind, value] of Object.entries(others)) {
      const list = this.#lists.get(kind) ?? [];
      list.push(...(Array.isArray(value) ? value : [value]));
      this.#lists.set(kind, list);
    }
  }

  /** The arguments of a call received so far, as JSON text from the model, which may be invalid. */
  get input(): string {
    return this.#joined('input');
  }

  /** Returns the block as JSON. Arguments that are not an object become an empty one. */
  finish(): string {
    const { toolUse, ...others } = this.#start;
    if (isJsonObject(toolUse)) {
      const input = isJsonObject(parseJson(this.input)) ? this.input : '{}';
      const { input: whole, ...head } = toolUse;
      const written = this.input === '' && isJsonObject(whole) ? JSON.stringify(whole) : input;
      // The model's own text keeps every digit.
      const members = Object.entries(head).map(
        ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)},`,
      );
      return `{"toolUse":{${members.join('')}"input":${written}}}`;
    }
    if (this.#isReasoning) return JSON.stringify({ reasoningContent: this.#reasoning() });
    const [kind] = Object.keys(others);
    if (kind !== undefined) return JSON.stringify({ [kind]: this.#withLists(kind, others[kind]) });
    const text = this.#joined('text');
    const citations = this.#lists.get('citation');
    return JSON.stringify(
      citations === undefined ? { text } : { citationsContent: { content: [{ text }], citations } },
    );
  }

  #reasoning(): JsonObject {
    const redacted = this.#pieces.get('redacted');
    if (redacted !== undefined) {
      const bytes = redacted.map((piece) => Buffer.from(piece, 'base64'));
      return { redactedContent: Buffer.concat(bytes).toString('base64') };
    }
    const signature = this.#signature === undefined ? {} : { signature: this.#signature };
    return { reasoningText: { text: this.#joined('thought'), ...signature } };
  }

  /** Deltas carry the content of a provider tool's result, and the source of an image. */
  #withLists(kind: string, start: unknown): unknown {
    const list = this.#lists.get(kind);
    if (list === undefined || !isJsonObject(start)) return start;
    return kind === 'toolResult' ? { ...start, content: list } : Object.assign({}, start, ...list);
  }

  #append(kind: string, piece: unknown): void {
    if (typeof piece !== 'string') return;
    const pieces = this.#pieces.get(kind);
    if (pieces === undefined) this.#pieces.set(kind, [piece]);
    else pieces.push(piece);
  }

  #joined(kind: string): string {
    return this.#pieces.get(kind)?.join('') ?? '';
  }
}
