import { createHash } from 'node:crypto';
import {
  elementsOf,
  isJsonObject,
  type JsonObject,
  memberSpan,
  type Span,
  textOf,
  valueSpan,
} from '../json-splice.ts';
import type { Turn } from '../view.ts';
import { CallCollector } from './call-collector.ts';
import { mergeDelta } from './merge-delta.ts';
import { callsOf, objectsIn, textOrNone } from './read-message.ts';

/** How much of one answer is kept to go round again with, in characters. */
export const HELD_ANSWER_CHARS = 32 * 1024 * 1024;

/** Stop reasons with which an answer ends wherever it was: what it was searching for is not worth an answer. */
const CUTTING_REASONS: ReadonlySet<string> = new Set(['length', 'content_filter']);

/**
 * Keeps what one answer says: the assistant's whole message, its calls, usage and end.
 *
 * Contract: for one answer; takes chunks in order, or one whole answer. Never throws for what an upstream may send.
 */
export class RoundWatcher {
  readonly calls: CallCollector;
  /** The latest usage, which is the answer's when it comes several times. */
  usage: JsonObject | undefined;
  stopReason: string | undefined;
  #message: JsonObject = {};
  #wholeMessage: string | undefined;
  #identity: unknown;
  #heldChars = 0;

  constructor(searchToolName: string | undefined, round: number) {
    this.calls = new CallCollector(searchToolName, (ordinal) => makeId([this.#identity, round, ordinal]));
  }

  /** Whether the answer is too long to be repeated to the upstream. */
  get isTooLong(): boolean {
    return this.#heldChars > HELD_ANSWER_CHARS;
  }

  /** Whether the answer was ended in the middle, so that its searches do not count. */
  get isCutOff(): boolean {
    return this.stopReason !== undefined && CUTTING_REASONS.has(this.stopReason);
  }

  /** Takes a chunk of a stream; gives the parts of calls in it, as JSON, that can go to the client. */
  takeChunk(chunk: JsonObject, text: string): string[] {
    this.#takeHead(chunk);
    const choice = objectsIn(chunk.choices)[0];
    if (choice === undefined) return [];
    const delta = isJsonObject(choice.delta) ? choice.delta : {};
    const { tool_calls, ...fields } = delta;
    this.#heldChars += text.length;
    if (this.isTooLong) this.calls.stopKeeping();
    else this.#message = mergeDelta(this.#message, fields);
    const parts = callsOf(delta);
    const visible = parts.length === 0 ? [] : this.#takeCalls(parts, callTexts(text, 'delta'));
    const stopReason = textOrNone(choice.finish_reason);
    if (stopReason === undefined) return visible;
    this.stopReason = stopReason;
    return [...visible, ...this.calls.settle()];
  }

  /** Takes a whole answer; false when it is none. */
  takeWhole(answer: JsonObject, text: string): boolean {
    const choice = objectsIn(answer.choices)[0];
    const span = messageSpan(text, 'message');
    if (!isJsonObject(choice?.message) || span === undefined) return false;
    this.#takeHead(answer);
    const { tool_calls, ...fields } = choice.message;
    this.#message = fields;
    this.#wholeMessage = textOf(text, span);
    this.#heldChars = text.length;
    // In a whole answer each entry is a call, whatever its index says.
    const calls = callsOf(choice.message).map((call, index) => ({ ...call, index }));
    this.#takeCalls(calls, callTexts(text, 'message'));
    this.calls.settle();
    this.stopReason = textOrNone(choice.finish_reason);
    return true;
  }

  /** The turn that the answer makes. */
  turn(): Turn {
    const searches = this.isCutOff ? [] : this.calls.searches;
    return { message: this.#writeMessage(), realCalls: this.calls.realCalls, searches };
  }

  #takeHead(chunk: JsonObject): void {
    this.#identity ??= textOrNone(chunk.id);
    if (isJsonObject(chunk.usage)) this.usage = chunk.usage;
  }

  #takeCalls(parts: readonly JsonObject[], texts: readonly string[]): string[] {
    return parts.flatMap((part, index) => this.calls.take(part, texts[index] ?? JSON.stringify(part)));
  }

  /** A whole answer's message goes back as it came, unless calls in it have to be left out or repaired. */
  #writeMessage(): string {
    const calls = this.calls.writeCalls({ withSearches: !this.isCutOff });
    const message = { role: 'assistant', content: null, ...this.#message };
    const isWhole = this.#wholeMessage !== undefined && isSameAs(this.#wholeMessage, calls);
    if (isWhole) return this.#wholeMessage!;
    return JSON.stringify(calls.length > 0 ? { ...message, tool_calls: calls } : message);
  }
}

function isSameAs(message: string, calls: readonly JsonObject[]): boolean {
  const given = objectsIn((JSON.parse(message) as JsonObject).tool_calls);
  const signature = (call: JsonObject) => [
    call.id,
    isJsonObject(call.function) ? call.function.arguments : '',
  ];
  return JSON.stringify(given.map(signature)) === JSON.stringify(calls.map(signature));
}

/** The span of the first choice's `message` or `delta`. */
export function messageSpan(text: string, member: 'message' | 'delta'): Span | undefined {
  const choices = memberSpan(text, valueSpan(text).start, 'choices');
  const choice = choices && elementsOf(text, choices.start)[0];
  return choice && memberSpan(text, choice.start, member);
}

function callTexts(text: string, member: 'message' | 'delta'): string[] {
  const message = messageSpan(text, member);
  const calls = message && memberSpan(text, message.start, 'tool_calls');
  return calls === undefined ? [] : elementsOf(text, calls.start).map((call) => textOf(text, call));
}

/** The same for the same answer, so that a request built from it is the same again. */
function makeId(identity: readonly unknown[]): string {
  return `call_${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 24)}`;
}
