import { createHash } from 'node:crypto';
import type { Turn } from '../format/view.ts';
import type { Keep } from '../joining/keep.ts';
import { PART_CHARS, RoundMemory } from '../joining/round-memory.ts';
import { memberTexts, spanAt } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, textOf, textOrNone } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { CallCollector } from './call-collector.ts';
import { mergeDelta } from './merge-delta.ts';

/** Stop reasons that cut a response off: its searches are not resolved. */
const CUTTING_REASONS: ReadonlySet<string> = new Set(['length', 'content_filter']);

/**
 * Keeps the assistant's message, calls, usage and end of one response.
 *
 * Contract: for one response; takes chunks in order, or one whole response. Never throws, whatever an
 * upstream sends.
 */
export class RoundReader {
  readonly memory: RoundMemory;
  readonly calls: CallCollector;
  /** The latest usage, which is the response's if it arrives several times. */
  usage: JsonObject | undefined;
  stopReason: string | undefined;
  #message: JsonObject = {};
  #wholeMessage: { readonly text: string; readonly calls: readonly unknown[] } | undefined;
  #identity: unknown;

  constructor(hidden: HiddenNames, round: number, keep: Keep | undefined) {
    this.memory = new RoundMemory(keep);
    const idOf = (ordinal: number) => makeId([this.#identity, round, ordinal]);
    this.calls = new CallCollector(hidden, idOf, this.memory);
  }

  get hasSearch(): boolean {
    return this.calls.hasSearches;
  }

  /** Whether the response was cut off, so that its searches do not count. */
  get isCutOff(): boolean {
    return this.stopReason !== undefined && CUTTING_REASONS.has(this.stopReason);
  }

  /** Takes a chunk of a stream; returns the visible parts of its calls. */
  takeChunk(chunk: JsonObject, text: string): VisibleCalls {
    this.#takeHead(chunk);
    const choice = objectsIn(chunk.choices)[0];
    if (choice === undefined) return { parts: [], areAsSent: true };
    const delta = isJsonObject(choice.delta) ? choice.delta : {};
    // Some servers number deltas; a message has no such field.
    const { tool_calls, index, ...fields } = delta;
    const callCount = Array.isArray(tool_calls) ? tool_calls.length : 0;
    // Each part of a call may be a call of its own.
    const isKept = this.memory.mayKeep(text.length + PART_CHARS * callCount);
    if (isKept) this.#message = mergeDelta(this.#message, fields);
    const sent = Array.isArray(tool_calls) && tool_calls.length > 0 ? callTexts(text, 'delta') : [];
    const parts = this.#takeCalls(tool_calls, sent);
    const stopReason = textOrNone(choice.finish_reason);
    if (stopReason !== undefined) {
      this.stopReason = stopReason;
      parts.push(...this.calls.settle());
    }
    return { parts, areAsSent: areEqual(parts, sent) };
  }

  /** Takes a whole response; returns false for any other body. */
  takeWhole(response: JsonObject, text: string): boolean {
    const choice = objectsIn(response.choices)[0];
    const span = spanAt(text, ['choices', 'message']);
    if (!isJsonObject(choice?.message) || span === undefined) return false;
    this.#takeHead(response);
    const { tool_calls, ...fields } = choice.message;
    this.#message = fields;
    const given: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
    this.#wholeMessage = { text: textOf(text, span), calls: given };
    // In a whole response, each entry is a call, whatever its index.
    const calls = given.map((call, index) => (isJsonObject(call) ? { ...call, index } : call));
    if (calls.length > 0) this.#takeCalls(calls, callTexts(text, 'message'));
    this.calls.settle();
    this.stopReason = textOrNone(choice.finish_reason);
    return true;
  }

  /** Returns the turn of the response. */
  turn(): Turn {
    const searches = this.isCutOff ? [] : this.calls.searches;
    return { message: this.#writeMessage(), realCalls: this.calls.realCalls, searches };
  }

  #takeHead(chunk: JsonObject): void {
    this.#identity ??= textOrNone(chunk.id);
    this.usage = isJsonObject(chunk.usage) ? chunk.usage : (groqUsage(chunk) ?? this.usage);
  }

  /** Takes parts of calls. An element that is not a part of a call goes to the client unchanged. */
  #takeCalls(parts: unknown, texts: readonly string[]): string[] {
    if (!Array.isArray(parts)) return [];
    return parts.flatMap((part: unknown, index) => {
      const text = texts[index] ?? JSON.stringify(part);
      return isJsonObject(part) ? this.calls.take(part, text) : [text];
    });
  }

  /**
   * Returns the message to send back: a whole response's own, unless calls in it have to be left out or
   * repaired.
   */
  #writeMessage(): string {
    const calls = this.calls.writeCalls({ withSearches: !this.isCutOff });
    const whole = this.#wholeMessage;
    if (whole !== undefined && areSame(whole.calls, calls)) return whole.text;
    const message = { role: 'assistant', content: null, ...this.#message };
    return JSON.stringify(calls.length > 0 ? { ...message, tool_calls: calls } : message);
  }
}

/** The calls in a chunk that the client may see. */
export interface VisibleCalls {
  /** Entries of `tool_calls`, as JSON. */
  readonly parts: readonly string[];
  /** Whether these are all entries that the upstream sent, unchanged. */
  readonly areAsSent: boolean;
}

function areEqual(parts: readonly string[], sent: readonly string[]): boolean {
  return parts.length === sent.length && parts.every((part, index) => part === sent[index]);
}

function areSame(given: readonly unknown[], calls: readonly JsonObject[]): boolean {
  // Providers accept only calls.
  if (given.length !== calls.length || !given.every(isJsonObject)) return false;
  const signature = (call: JsonObject) => [
    call.id,
    isJsonObject(call.function) ? call.function.arguments : '',
  ];
  return JSON.stringify(given.map(signature)) === JSON.stringify(calls.map(signature));
}

/** Returns the usage under Groq's own name, where some of its clients read it. */
export function groqUsage({ x_groq: groq }: JsonObject): JsonObject | undefined {
  return isJsonObject(groq) && isJsonObject(groq.usage) ? groq.usage : undefined;
}

function callTexts(text: string, member: 'message' | 'delta'): string[] {
  return memberTexts(text, 'tool_calls', ['choices', member]);
}

/**
 * Returns an id that is the same for the same response, so that a request built from it is the same again.
 */
function makeId(identity: readonly unknown[]): string {
  return `call_${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 24)}`;
}
