import type { MemberChanges } from '@winnow/core';
import type { JoinResponses, Keep } from '../format/response-joiner.ts';
import type { SearchCall, ToolCall, Turn, Usage } from '../format/view.ts';
import { type StreamEvent, withData } from '../framing/framing.ts';
import { ChunkReducer, type ChunkState } from '../joining/chunk-reducer.ts';
import { isUntouched } from '../joining/part-state.ts';
import { NOTHING, RoundJoiner, type Step, withState } from '../joining/round-joiner.ts';
import { RoundMemory } from '../joining/round-memory.ts';
import { plainCounts, toUsage } from '../joining/rounds-usage.ts';
import { memberTexts, parseObject, withChangesAt } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-value.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { ollama } from '../vendors/ollama.ts';
import {
  calledArguments,
  calledName,
  callId,
  contentText,
  numberCall,
  visibleMessage,
} from './read-request.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, keep) => {
  const reducer = new OllamaReducer(hiddenNames(plan), keep);
  return new RoundJoiner<OllamaState>(reducer, {
    ...reducer.start(view, plainCounts(usageOf)),
    ...reducer.newRound(),
  });
};

/** The edited places of a line or of a whole response. */
const LINE = { root: [], message: ['message'] } as const;

/** Changes of a line, by place. */
type LineChanges = Readonly<Record<'root' | 'message', MemberChanges>>;

/** The changes that empty a line's message. */
const NO_WORDS = { content: '""', thinking: undefined, tool_calls: undefined } as const;

/** The counts in the last line of a response: tokens, and times in nanoseconds. */
const COUNTS = [
  'prompt_eval_count',
  'eval_count',
  'total_duration',
  'load_duration',
  'prompt_eval_duration',
  'eval_duration',
];

/** The changes that remove the counts from a line that is no longer the last. */
const NO_COUNTS: MemberChanges = Object.fromEntries(COUNTS.map((name) => [name, undefined]));

/** The changes of a last line that is no longer the last. */
const NOT_LAST = { ...NO_COUNTS, done: 'false', done_reason: undefined } as const;

interface OllamaState extends ChunkState {
  readonly reader: RoundReader;
  /** The last line of a response that searched, without its text. */
  readonly held: StreamEvent | undefined;
  /**
   * The latest lines with only token probabilities, which spell out the call that may follow. The list grows
   * in place.
   */
  readonly spelling: StreamEvent[];
}

/**
 * Takes a line in steps: 1. the reader keeps it and separates its searches from the client's calls; 2.
 * searches are removed, and later calls renumbered; 3. the end of a response that searched is held, because
 * another round may follow; 4. a line without content is dropped. A whole response is one line, which is
 * written at the end.
 */
class OllamaReducer extends ChunkReducer<OllamaState> {
  protected readonly vendor = ollama;
  protected readonly spoken = { kept: ['message', 'error'] };

  newRound() {
    return { held: undefined, spelling: [], reader: new RoundReader(this.hidden, this.keep) };
  }

  protected says({ message }: JsonObject): boolean {
    const { content, thinking, tool_calls: calls } = isJsonObject(message) ? message : {};
    return Boolean(content || thinking || calls);
  }

  protected textIn(message: JsonObject): string {
    return contentText(message);
  }

  /** Lines are read before they are cleaned, because that may remove token probabilities. */
  protected override cleanEvent(event: StreamEvent): StreamEvent {
    return event;
  }

  /** Returns the error in one line, without the line breaks of the upstream. */
  protected override errorIn(body: string): string | undefined {
    const line = parseObject(body);
    return typeof line?.error === 'string' ? JSON.stringify(line) : undefined;
  }

  /** Takes a whole response, which has the shape of a last line. A stream has it in one line. */
  protected override takeBody(state: OllamaState, _: string, line: JsonObject): Step<OllamaState> {
    return super.takeBody(state, JSON.stringify(line), line);
  }

  protected override isComplete({ isDone, reader }: OllamaState): boolean {
    return isDone && reader.isComplete;
  }

  protected finishStream({ held, used, reader }: OllamaState): readonly StreamEvent[] {
    return held ? [edit(held, { root: countMembers(used.shownWith(reader.usage)), message: {} })] : [];
  }

  protected takeChunk(before: OllamaState, sent: StreamEvent, line: JsonObject): Step<OllamaState> {
    if (!isJsonObject(line.message) && !('done' in line)) return this.takeUnread(before, sent);
    // 1. Keep the line, and separate its calls.
    const { reader } = before;
    const realBefore = reader.realCalls;
    const reading = reader.take(line, sent.data);
    const isLast = line.done === true;
    if (before.isWhole)
      return {
        state: isLast ? { ...before, isDone: true, body: sent.data } : before,
        events: NOTHING,
      };
    const text = isJsonObject(line.message) ? contentText(line.message) : '';
    const { state: apart, seam } = this.seamBefore(before, text);
    const state = isLast ? { ...apart, isDone: true } : apart;
    const event = withData(sent, this.clean(sent.data));
    if (!this.hidden.isEmpty && !isLast && isSpelling(line, reading)) {
      state.spelling.push(event);
      return { state, events: NOTHING };
    }
    const spelling = spellingToPass(state, reading);
    // 2. Remove searches, and set the texts of rounds apart.
    const seen = changesOf(reader, line, reading, realBefore);
    const changes =
      seam === '' ? seen : { ...seen, message: { ...seen.message, content: JSON.stringify(seam + text) } };
    // 3. Hold the end.
    const isHeld = isLast && !isUntouched(state);
    const held = isHeld ? edit(event, { ...changes, message: NO_WORDS }) : state.held;
    // 4. Drop a line without content.
    const says = reading.hasWords || reading.calls.length > 0;
    const left = state.spelling.length === 0 ? state.spelling : [];
    const next = withState(state, { spelling: left, held, hasShown: state.hasShown || says });
    if (!says && (isHeld || reading.hasSearches)) return { state: next, events: spelling };
    const shown = isHeld ? { ...changes, root: { ...changes.root, ...NOT_LAST } } : changes;
    return { state: next, events: [...spelling, edit(event, shown)] };
  }

  protected joinBody({ turns, used, reader }: OllamaState, body: string): string {
    const { content, thinking, tool_calls: calls } = visibleMessage(turns);
    const shown = Array.isArray(calls) ? calls.map((call, at) => numberCall(JSON.stringify(call), at)) : [];
    return withChangesAt(body, LINE, {
      // Token probabilities spell out the searches, and are only those of the last round.
      root: { ...countMembers(used.shownWith(reader.usage)), logprobs: undefined },
      message: {
        content: JSON.stringify(content),
        ...(typeof thinking === 'string' && { thinking: JSON.stringify(thinking) }),
        tool_calls: shown.length > 0 ? `[${shown.join(',')}]` : undefined,
      },
    });
  }
}

function edit(event: StreamEvent, changes: LineChanges): StreamEvent {
  return withData(event, withChangesAt(event.data, LINE, changes));
}

function changesOf(
  reader: RoundReader,
  line: JsonObject,
  { calls, hasSearches }: LineReading,
  realBefore: number,
): LineChanges {
  const numbered = reader.hasSearch ? calls.map((call, at) => numberCall(call, realBefore + at)) : calls;
  const isChanged = hasSearches || numbered.some((call, index) => call !== calls[index]);
  return {
    root: hasSearches && line.logprobs !== undefined ? { logprobs: undefined } : {},
    message: isChanged ? { tool_calls: calls.length > 0 ? `[${numbered.join(',')}]` : undefined } : {},
  };
}

/** Whether a line has only token probabilities, without text. */
function isSpelling({ logprobs }: JsonObject, { calls, hasSearches, hasWords }: LineReading): boolean {
  return !hasWords && !hasSearches && calls.length === 0 && Array.isArray(logprobs);
}

/** Returns the held token probabilities for the client: those of a search and of its end are dropped. */
function spellingToPass({ reader, spelling }: OllamaState, { hasWords, calls }: LineReading) {
  return reader.hasSearch && !hasWords && calls.length === 0 ? [] : spelling;
}

/** The contents of a line's message. */
interface LineReading {
  /** The calls for the client, as JSON. */
  readonly calls: readonly string[];
  readonly hasSearches: boolean;
  /** Whether there is text or thinking. */
  readonly hasWords: boolean;
}

/** A call of the response; every call arrives whole. */
interface ReadCall extends ToolCall {
  readonly text: string;
  /** Undefined for a call of the client's tools. */
  readonly search: SearchCall | undefined;
}

/**
 * Keeps the assistant's message, calls, counts and end of one response.
 *
 * Contract: for one response; takes lines in order, or one whole response as a single line. Never throws,
 * whatever an upstream sends.
 */
class RoundReader {
  readonly memory: RoundMemory;
  readonly #hidden: HiddenNames;
  readonly #calls: ReadCall[] = [];
  #fields: JsonObject = { role: 'assistant' };
  readonly #content: string[] = [];
  readonly #thinking: string[] = [];
  #hasWords = false;
  /** The counts of the last line; undefined before it arrives. */
  usage: JsonObject | undefined;
  hasContent = false;
  stopReason: string | undefined;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.memory = new RoundMemory(keep);
    this.#hidden = hidden;
  }

  get hasSearch(): boolean {
    return this.#calls.some(({ search }) => search !== undefined);
  }

  /** Takes a whole response, which has the shape of a last line; returns false for any other object. */
  takeWhole(line: JsonObject, text: string): boolean {
    if (!isJsonObject(line.message)) return false;
    this.take({ ...line, done: true }, text);
    return this.isComplete;
  }

  /** Whether the response has words, a call or a reason for its end; older versions give none. */
  get isComplete(): boolean {
    return this.stopReason !== undefined || this.#hasWords || this.#calls.length > 0;
  }

  /** The number of the client's calls so far. */
  get realCalls(): number {
    return this.#calls.filter(({ search }) => search === undefined).length;
  }

  take(line: JsonObject, text: string): LineReading {
    if (line.done === true) {
      this.usage = countsIn(line);
      this.stopReason = textOrNone(line.done_reason);
    }
    const message = isJsonObject(line.message) ? line.message : {};
    const words = [textOrNone(message.content), textOrNone(message.thinking)];
    if (this.memory.mayKeep(text.length)) this.#keep(message, words);
    const calls = this.#takeCalls(message.tool_calls, text);
    const real = calls.filter(({ search }) => search === undefined);
    this.#hasWords ||= words.some((word) => word !== undefined);
    return {
      calls: real.map((call) => call.text),
      hasSearches: real.length < calls.length,
      hasWords: words.some((word) => word !== undefined),
    };
  }

  /** Returns the turn of the response. If the token limit ended it, its searches do not count. */
  turn(): Turn {
    const isCutOff = this.stopReason === 'length';
    const calls = isCutOff ? this.#calls.filter(({ search }) => search === undefined) : this.#calls;
    return {
      message: this.#writeMessage(calls),
      realCalls: calls.flatMap(({ id, name, search }) => (search === undefined ? [{ id, name }] : [])),
      searches: calls.flatMap(({ search }) => search ?? []),
    };
  }

  #keep(
    { content, thinking, tool_calls, ...fields }: JsonObject,
    [text, thought]: readonly (string | undefined)[],
  ) {
    this.#fields = { ...this.#fields, ...fields };
    if (text !== undefined) this.#content.push(text);
    if (thought !== undefined) this.#thinking.push(thought);
  }

  /** Takes the calls of a line. An element that is not a call goes to the client unchanged. */
  #takeCalls(list: unknown, lineText: string): ReadCall[] {
    if (!Array.isArray(list) || list.length === 0) return [];
    const texts = memberTexts(lineText, 'tool_calls', ['message']);
    return list.map((call: unknown, index): ReadCall => {
      const text = texts[index] ?? JSON.stringify(call);
      if (!isJsonObject(call)) return { id: '', name: '', text, search: undefined };
      const name = calledName(call);
      const id = callId(call, this.#calls.length);
      const isSearch = name !== '' && this.#hidden.has(name);
      const search = isSearch ? this.#hidden.readCall({ id, name }, calledArguments(call)) : undefined;
      const read = { id, name, text, search };
      this.#calls.push(read);
      return read;
    });
  }

  #writeMessage(calls: readonly ReadCall[]): string {
    const thinking = this.#thinking.join('');
    const message = JSON.stringify({
      ...this.#fields,
      content: this.#content.join(''),
      ...(thinking !== '' && { thinking }),
    });
    const texts = calls.map(({ text }) => text);
    return texts.length === 0 ? message : `${message.slice(0, -1)},"tool_calls":[${texts.join(',')}]}`;
  }
}

/** Returns the counts of a last line, as far as it has them. */
function countsIn(line: JsonObject): JsonObject {
  return Object.fromEntries(COUNTS.flatMap((name) => (name in line ? [[name, line[name]]] : [])));
}

/** Returns the counts as members to write; none for undefined. */
function countMembers(counts: JsonObject = {}): MemberChanges {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, JSON.stringify(count)]));
}

/** Returns the tokens of the counts. Some versions report no input tokens for a cached prompt. */
export function usageOf({ prompt_eval_count: input, eval_count: output }: JsonObject): Usage | undefined {
  if (typeof input !== 'number' && typeof output !== 'number') return undefined;
  return toUsage({ input, output });
}
