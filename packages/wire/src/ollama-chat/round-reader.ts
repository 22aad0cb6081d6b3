import type { SearchCall, ToolCall, Turn } from '../format/view.ts';
import type { Keep } from '../joining/keep.ts';
import { RoundMemory } from '../joining/round-memory.ts';
import { memberTexts } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { callId } from './call-id.ts';
import { countsIn } from './final-counts.ts';
import { calledArguments, calledName } from './read-message.ts';

/** The contents of a line's message. */
export interface LineReading {
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
export class RoundReader {
  readonly memory: RoundMemory;
  readonly #hidden: HiddenNames;
  readonly #calls: ReadCall[] = [];
  #fields: JsonObject = { role: 'assistant' };
  readonly #content: string[] = [];
  readonly #thinking: string[] = [];
  /** The counts of the last line; undefined before it arrives. */
  usage: JsonObject | undefined;
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
    this.take({ ...line, done: true }, text);
    return line.message !== undefined;
  }

  /** The number of the client's calls so far. */
  get realCalls(): number {
    return this.#calls.filter(({ search }) => search === undefined).length;
  }

  take(line: JsonObject, text: string): LineReading {
    if (line.done === true) {
      this.usage = countsIn(line);
      this.stopReason = textOrNone(line.done_reason) ?? 'stop';
    }
    const message = isJsonObject(line.message) ? line.message : {};
    const words = [textOrNone(message.content), textOrNone(message.thinking)];
    if (this.memory.mayKeep(text.length)) this.#keep(message, words);
    const calls = this.#takeCalls(message.tool_calls, text);
    const real = calls.filter(({ search }) => search === undefined);
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
