import { createHash } from 'node:crypto';
import { changeMembers, splice, textOf } from '@winnow/core';
import type { Keep } from '../format/response-joiner.ts';
import type { SearchCall, ToolCall, Turn } from '../format/view.ts';
import { PART_CHARS, RoundMemory } from '../joining/round-memory.ts';
import { memberTexts, spanAt } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { calledArguments, calledName, hasNews, isThoughtList, mergeDelta } from './messages.ts';
import { RepeatedChunks } from './repeated-chunk.ts';

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
  /** The chunks that add only text. */
  readonly repeats = new RepeatedChunks();
  #message: Record<string, unknown> = {};
  #wholeMessage: { readonly text: string; readonly calls: readonly unknown[] } | undefined;
  #identity: unknown;

  constructor(hidden: HiddenNames, round: number, keep: Keep | undefined) {
    this.memory = new RoundMemory(keep);
    const idOf = (ordinal: number) => makeId([this.#identity, round, ordinal]);
    this.calls = new CallCollector(hidden, idOf, this.memory);
  }

  /** Whether the response has text, thinking or a call. */
  hasContent = false;

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
    this.hasContent ||= callCount > 0 || hasNews(fields);
    // Each part of a call may be a call of its own.
    const isKept = this.memory.mayKeep(text.length + PART_CHARS * callCount);
    if (isKept) this.#message = mergeDelta(this.#message, fields) as Record<string, unknown>;
    const sent = Array.isArray(tool_calls) && tool_calls.length > 0 ? callTexts(text, 'delta') : [];
    const parts = this.#takeCalls(tool_calls, sent);
    const stopReason = textOrNone(choice.finish_reason);
    if (stopReason !== undefined) {
      this.stopReason = stopReason;
      parts.push(...this.calls.settle());
    }
    return { parts, areAsSent: areEqual(parts, sent) };
  }

  /**
   * Takes a chunk of so many characters that adds only a text, like `takeChunk`; returns false if the content so far
   * is not a text.
   */
  takeText(text: string, chars: number): boolean {
    const { content } = this.#message;
    if (typeof content !== 'string') return false;
    if (this.memory.mayKeep(chars)) this.#message.content = content + text;
    return true;
  }

  /** Takes a whole response; returns false for any other body. */
  takeWhole(response: JsonObject, text: string): boolean {
    const choice = objectsIn(response.choices)[0];
    const span = spanAt(text, ['choices', 'message']);
    if (!isJsonObject(choice?.message) || span === undefined) return false;
    const { tool_calls, ...fields } = choice.message;
    this.hasContent = hasNews(fields) || objectsIn(tool_calls).length > 0;
    const reason = textOrNone(choice.finish_reason);
    if (!this.hasContent && (reason === undefined || reason === 'error')) return false;
    this.#takeHead(response);
    this.#message = { ...fields };
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
    const message = { role: 'assistant', content: null, ...unnumbered(this.#message) };
    return JSON.stringify(calls.length > 0 ? { ...message, tool_calls: calls } : message);
  }
}

/** Returns a message whose blocks in Anthropic's form have no numbers: its API refuses members that it lacks. */
function unnumbered(message: JsonObject): JsonObject {
  const entries = Object.entries(message).map(([field, value]) => [
    field,
    isThoughtList(value)
      ? value.map((block) => (isOfAnthropic(block) ? { ...block, index: undefined } : block))
      : value,
  ]);
  return Object.fromEntries(entries);
}

function isOfAnthropic({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
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

/** A call, as far as its parts tell it apart from others. */
export class TrackedCall {
  /** Its position among all calls. */
  readonly ordinal: number;
  /** Its name so far, which some servers send in pieces and others repeat. */
  name = '';
  /** The latest id that the upstream sent. */
  sentId: string | undefined;
  hasArguments = false;
  readonly #progress = new ArgumentsProgress();

  constructor(ordinal: number) {
    this.ordinal = ordinal;
  }

  addPart(part: JsonObject): void {
    const name = calledName(part);
    if (!this.hasArguments && name !== this.name) this.name += name;
    this.sentId = textOrNone(part.id) ?? this.sentId;
    this.hasArguments ||= hasArguments(part);
    this.#progress.add(calledArguments(part));
  }

  /**
   * Whether a part begins another call on a used index or id. It has a name, and the call before it is complete, has
   * another name, or has another id and no arguments. A name alone may be the rest of one that arrives in
   * pieces.
   */
  endsBefore(part: JsonObject): boolean {
    const name = calledName(part);
    const id = textOrNone(part.id);
    if (name === '') return false;
    if (id !== undefined && id === this.sentId) return this.#progress.isComplete && hasArguments(part);
    if (!this.hasArguments) return id !== undefined && this.sentId !== undefined;
    return name !== this.name || this.#progress.isComplete;
  }
}

/**
 * Finds the call that each part of a response belongs to.
 *
 * Compatible servers deviate: they number all calls 0, in texts or not at all, omit, change or repeat ids, send
 * names in pieces, and arguments as an object. A part therefore belongs to the call with its index, otherwise to the
 * one with its id, otherwise to the latest, unless it begins another (`TrackedCall.endsBefore`).
 */
export class CallTracker<Call extends TrackedCall> {
  readonly calls: Call[] = [];
  readonly #create: (ordinal: number) => Call;
  readonly #byIndex = new Map<number, Call>();
  /** The latest call for each id. */
  readonly #byId = new Map<string, Call>();

  /** `create` returns a call that begins. */
  constructor(create: (ordinal: number) => Call) {
    this.#create = create;
  }

  /** Returns the call of a part, which may begin with it. */
  callOf(part: JsonObject): Call {
    const index = Number.parseInt(String(part.index), 10);
    const sameId = typeof part.id === 'string' ? this.#byId.get(part.id) : undefined;
    const known = Number.isNaN(index) ? (sameId ?? this.calls.at(-1)) : this.#byIndex.get(index);
    if (known !== undefined && !known.endsBefore(part)) return known;
    const call = this.#create(this.calls.length);
    this.calls.push(call);
    if (!Number.isNaN(index)) this.#byIndex.set(index, call);
    return call;
  }

  /** Notes an id of a call. */
  noteId(call: Call, id: string): void {
    this.#byId.set(id, call);
  }
}

function hasArguments(part: JsonObject): boolean {
  const given = calledArguments(part) ?? (isJsonObject(part.custom) ? part.custom.input : undefined);
  return given !== undefined && given !== null && given !== '';
}

/**
 * Detects when streamed arguments of a call are complete: a text whose braces are balanced, or any value that
 * is not a string.
 *
 * Each character is read once: parsing the whole text for every piece would take quadratic time.
 */
class ArgumentsProgress {
  isComplete = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** Takes the arguments of one part; ignores undefined and null. */
  add(given: unknown): void {
    if (given === undefined || given === null) return;
    if (typeof given !== 'string') this.isComplete = true;
    else for (const character of given) this.#read(character);
  }

  #read(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString) {
      this.#isEscaped = character === '\\';
      this.#isInString = character !== '"';
    } else if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') {
      this.#depth += 1;
      this.isComplete = false;
    } else if (character === '}' || character === ']') {
      this.#depth = Math.max(0, this.#depth - 1);
      this.isComplete = this.#depth === 0;
    }
  }
}

/** A call that is being collected. */
class CollectedCall extends TrackedCall {
  /** All fields so far except the name. */
  fields: JsonObject = {};
  /** The id that the client sees: the upstream's as soon as there is one, otherwise a made-up one. */
  id: string | undefined;
  /** The kind of call; `undecided` while its name could still become either the search tool's or another. */
  kind: 'undecided' | 'real' | 'search' = 'undecided';
  /** The parts received while it was undecided, as JSON. */
  held: string[] = [];
  /** Its position among the real calls. */
  index = -1;
  /** Whether the client has its id. */
  hasGivenId = false;
  /** The signature of a search before it, until the client gets it. */
  addedSignature: unknown;
}

/**
 * Collects the calls of one response from their parts, and selects the parts for the client. Real calls are
 * renumbered from 0, each under one id.
 *
 * Contract: for one response. Parts of calls whose name is not the search tool's pass at once. The held
 * content is limited to the name and one part, because arguments settle the name.
 */
export class CallCollector {
  readonly #hidden: HiddenNames;
  readonly #makeId: (ordinal: number) => string;
  readonly #tracker = new CallTracker((ordinal) => this.#begin(ordinal));
  /** The undecided calls: at most one, or two while another begins. */
  readonly #undecided = new Set<CollectedCall>();
  #realCount = 0;
  #searchCount = 0;
  readonly #memory: RoundMemory;

  /** `makeId` makes an id for the call at a position, for servers that send none. */
  constructor(hidden: HiddenNames, makeId: (ordinal: number) => string, memory: RoundMemory) {
    this.#hidden = hidden;
    this.#makeId = makeId;
    this.#memory = memory;
  }

  /** Whether the model has searched, as far as is known. */
  get hasSearches(): boolean {
    if (this.#searchCount > 0 || this.#undecided.size === 0) return this.#searchCount > 0;
    return [...this.#undecided].some(({ name }) => name !== '');
  }

  /** Calls for the client, in order. */
  get realCalls(): ToolCall[] {
    return this.#tracker.calls
      .filter(({ kind }) => kind === 'real')
      .map(({ id, name }) => ({ id: id!, name }));
  }

  /** Calls of the search tool, in order. */
  get searches(): SearchCall[] {
    return this.#tracker.calls
      .filter(({ kind }) => kind === 'search')
      .map(({ id, name, fields }) => this.#hidden.readCall({ id: id!, name }, calledArguments(fields)));
  }

  /** Takes one part; returns the parts, as JSON, that can go to the client. `text` is the part's own JSON. */
  take(part: JsonObject, text: string): string[] {
    const call = this.#tracker.callOf(part);
    const before = call === this.#tracker.calls.at(-1) ? this.#settleBefore(call) : [];
    // Without memory, calls still pass, but can no longer be written whole.
    if (!this.#memory.isShort || call.kind === 'undecided') this.#add(call, part);
    if (call.kind === 'search') return before;
    if (call.kind === 'real') return [...before, this.#writePart(call, part, text)];
    call.held.push(text);
    call.kind = this.#decide(call);
    return [...before, ...this.#release(call)];
  }

  #add(call: CollectedCall, part: JsonObject): void {
    addPart(call, part);
    if (call.id !== undefined) this.#tracker.noteId(call, call.id);
  }

  /** Decides undecided calls, because no more parts follow; returns the parts that can go to the client. */
  settle(): string[] {
    return this.#settleBefore(undefined);
  }

  /** Returns the calls as a message holds them: complete, with ids, and with arguments as text. */
  writeCalls({ withSearches }: { withSearches: boolean }): JsonObject[] {
    return this.#tracker.calls.filter(({ kind }) => withSearches || kind !== 'search').map(writeCall);
  }

  #begin(ordinal: number): CollectedCall {
    this.#memory.begin();
    const call = new CollectedCall(ordinal);
    this.#undecided.add(call);
    return call;
  }

  /**
   * Decides the calls before one that begins. Their names are complete, because parts of several names never
   * alternate.
   */
  #settleBefore(current: CollectedCall | undefined): string[] {
    return [...this.#undecided].flatMap((call) => {
      if (call === current) return [];
      call.kind = this.#kindOf(call);
      return this.#release(call);
    });
  }

  #decide(call: CollectedCall): CollectedCall['kind'] {
    if (!this.#hidden.mayBegin(call.name)) return 'real';
    return call.hasArguments ? this.#kindOf(call) : 'undecided';
  }

  /** Returns the kind of a call whose name is complete; a search gets the name of the search tool. */
  #kindOf(call: CollectedCall): 'search' | 'real' {
    const meant = this.#hidden.meantBy(call.name);
    call.name = meant ?? call.name;
    return meant === undefined ? 'real' : 'search';
  }

  /** Numbers a call that has just been decided, and releases its held parts. */
  #release(call: CollectedCall): string[] {
    if (call.kind === 'undecided') return [];
    this.#undecided.delete(call);
    call.id ??= this.#makeId(call.ordinal);
    this.#tracker.noteId(call, call.id);
    const { held } = call;
    call.held = [];
    if (call.kind === 'search') {
      this.#searchCount += 1;
      return [];
    }
    call.index = this.#realCount++;
    if (call.index === 0) this.#takeSignature(call);
    const [text = ''] = held;
    // Clients take the name from one part only, so several held parts become one.
    if (held.length > 1) {
      call.hasGivenId = true;
      const signature = takeAdded(call);
      return [JSON.stringify({ index: call.index, ...writeParts(call), ...signature })];
    }
    return [this.#writePart(call, JSON.parse(text) as JsonObject, text)];
  }

  /** Gives the client's first call the signature of the turn, if the search in front of it had it. */
  #takeSignature(call: CollectedCall): void {
    const [first] = this.#tracker.calls;
    if (first?.kind === 'search' && call.fields.extra_content === undefined) {
      call.addedSignature = first.fields.extra_content;
    }
  }

  #writePart(call: CollectedCall, part: JsonObject, text: string): string {
    const { index, id } = call;
    const hasId = textOrNone(part.id) !== undefined;
    // Some clients join the ids of all parts, so a missing id is added only once, next to the name.
    const hasOtherId = hasId ? part.id !== id : calledName(part) !== '' && !call.hasGivenId;
    call.hasGivenId ||= hasId || hasOtherId;
    const changes = {
      ...(part.index !== index && { index: String(index) }),
      ...(hasOtherId && { id: JSON.stringify(id) }),
      ...textsOf(takeAdded(call)),
    };
    return splice(text, changeMembers(text, { start: 0, end: text.length }, changes));
  }
}

/** Returns the added signature as a member, once. */
function takeAdded(call: CollectedCall): { readonly extra_content?: unknown } {
  const { addedSignature } = call;
  call.addedSignature = undefined;
  return addedSignature === undefined ? {} : { extra_content: addedSignature };
}

function textsOf(members: object): Record<string, string> {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, JSON.stringify(value)]));
}

function addPart(call: CollectedCall, part: JsonObject): void {
  call.addPart(part);
  const { index, ...fields } = part;
  call.fields = mergeDelta(call.fields, fields);
  if (call.kind === 'undecided') call.id = textOrNone(call.fields.id);
}

/** Returns the received parts of a call, with its id and whole name. */
function writeParts({ fields, id, name }: CollectedCall): JsonObject {
  const called = isJsonObject(fields.custom) ? 'custom' : 'function';
  return { ...fields, id, [called]: { ...(fields[called] as JsonObject | undefined), name } };
}

/** Returns a call to send back. Providers accept arguments only as text, whatever they send. */
function writeCall(call: CollectedCall): JsonObject {
  const { id, type = 'function', ...fields } = writeParts(call);
  if (!isJsonObject(fields.function)) return { id, type, ...fields };
  const given = calledArguments(fields) ?? '';
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return { id, type, ...fields, function: { ...fields.function, arguments: text } };
}
