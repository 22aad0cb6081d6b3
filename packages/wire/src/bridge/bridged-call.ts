import type { Keep } from '../format/response-joiner.ts';
import type { ExactCall } from '../format/view.ts';
import { eventText, type WireEvent } from '../framing/framing.ts';
import { parseObject } from '../json/json-members.ts';
import { isReadable, parseArguments } from '../json/scan-json.ts';
import type { Bridge } from './bridge.ts';
import type { CallEvents, CallPart, PartChange } from './call-events.ts';
import { aroundArguments } from './call-writer.ts';
import { argumentsIn, type InnerCall, InnerCallScan, readInnerCall } from './inner-call.ts';
import { judgeCall } from './judge-call.ts';

/** A part of a call in an event. */
interface HeldPart {
  readonly call: BridgedCall;
  readonly part: CallPart;
  /** The place of its piece in the call's arguments; undefined for a repetition. */
  readonly start: number | undefined;
}

interface HeldEvent {
  readonly event: WireEvent;
  readonly parts: readonly HeldPart[];
}

/** The conditions under which calls of a response are refused, and the memory for held events. */
export interface UnwrapRules extends JudgeRules {
  readonly keep: Keep;
}

/**
 * Turns calls of the bridge tool into the calls in them, in the events of one response. Every other event
 * passes as it is, in its place.
 *
 * A call of a tool whose definition the model has read passes as soon as its name and the beginning of its
 * arguments are there. Any other is held until it is complete; a call that cannot work stays a call of the
 * bridge tool. Events behind a held call wait for it, so calls keep the model's order.
 *
 * Contract: for one response, like `CallEvents`. Comments pass at once. Never throws.
 */
export class CallUnwrapper {
  readonly #bridge: Bridge;
  readonly #events: CallEvents;
  readonly #rules: UnwrapRules;
  readonly #calls = new Map<number, BridgedCall>();
  #held: HeldEvent[] = [];
  #isShort = false;

  constructor(bridge: Bridge, events: CallEvents, rules: UnwrapRules) {
    this.#bridge = bridge;
    this.#events = events;
    this.#rules = rules;
  }

  /** Whether a call of this response has been refused. */
  get hasRefused(): boolean {
    return [...this.#calls.values()].some(({ isRefused }) => isRefused);
  }

  /** Takes the next event; returns the events that can go on now. */
  take(event: WireEvent): readonly WireEvent[] {
    if (event.kind === 'comment') return [event];
    const parts = this.#events.partsOf(event);
    if (parts.length === 0 && this.#held.length === 0) return [event];
    this.#held.push({ event, parts: parts.map((part) => this.#add(part)) });
    if (this.#events.endsCalls(event)) this.#endCalls();
    const given = this.#release();
    // Only what is held takes memory.
    if (this.#held.length > 0 && !this.#isShort && !this.#rules.keep(eventText(event).length)) {
      this.#isShort = true;
      for (const call of this.#calls.values()) call.giveUp();
      return [...given, ...this.#release()];
    }
    return given;
  }

  /** Decides all calls, because the response has ended; returns the events that were held. */
  settle(): readonly WireEvent[] {
    this.#endCalls();
    return this.#release();
  }

  /**
   * Returns the calls whose form is not the canonical one. `count` is the number of calls for the client.
   */
  exactCalls(count: number): readonly ExactCall[] {
    const shown = [...this.#calls.values()].filter(({ shownName }) => !this.#bridge.isOwn(shownName));
    if (shown.length !== count) return [];
    return shown.flatMap((call, at) => call.exactForm(at) ?? []);
  }

  #add(part: CallPart): HeldPart {
    const call = this.#calls.get(part.call) ?? this.#begin(part.call);
    const isAgain = part.isWhole === true && call.length > 0;
    const start = isAgain ? undefined : call.length;
    if (isAgain) call.end();
    else call.add(part);
    return { call, part, start };
  }

  #begin(key: number): BridgedCall {
    const call = new BridgedCall(this.#bridge, this.#rules);
    if (this.#isShort) call.giveUp();
    this.#calls.set(key, call);
    return call;
  }

  #endCalls(): void {
    for (const call of this.#calls.values()) call.end();
  }

  #release(): readonly WireEvent[] {
    const waiting = this.#held.findIndex(({ parts }) => parts.some(({ call }) => !call.isDecided));
    const released = waiting === -1 ? this.#held : this.#held.slice(0, waiting);
    this.#held = waiting === -1 ? [] : this.#held.slice(waiting);
    return released.flatMap((held) => this.#write(held) ?? []);
  }

  #write({ event, parts }: HeldEvent): WireEvent | undefined {
    const changes = parts.map(changeOf);
    if (event.kind === 'comment' || changes.every((change) => change === undefined)) return event;
    return this.#events.rewrite(event, changes);
  }
}

function changeOf({ call, part, start }: HeldPart): PartChange | 'drop' | undefined {
  const { innerName } = call;
  if (innerName === undefined) return undefined;
  if (start === undefined) return { name: innerName, arguments: call.shareOfWhole(part.arguments ?? '') };
  const given = part.arguments === undefined ? undefined : call.shareOf(part.arguments, start);
  // Most pieces of a stream lie within the inner arguments.
  if (part.name === undefined && given === part.arguments) return undefined;
  if (part.name === undefined && given === '' && part.isEnd !== true) return 'drop';
  const isRepeated = call.hasWrittenName;
  call.hasWrittenName ||= part.name !== undefined;
  return {
    ...(part.name !== undefined && { name: isRepeated ? null : innerName }),
    ...(given !== undefined && { arguments: given }),
  };
}

/** The most characters of a call without memory to hold it before its name is there. */
const MOST_UNNAMED_CHARS = 4_096;

/** The most characters of a name; none that is longer is the bridge tool's. */
const MOST_NAME_CHARS = 1_024;

/** The most characters that are noted of a call: its inner arguments determine the canonical form. */
const MOST_NOTED_CHARS = 2_048;

/** The conditions under which calls of a response are refused. */
interface JudgeRules {
  /** Whether a call that cannot work stays a call of the bridge tool. */
  readonly mayRefuse: boolean;
  /** Names of the tools whose definition the request held. */
  readonly defined: Pick<ReadonlySet<string>, 'has'>;
}

/**
 * A call in a response, from its first part on: undecided until it is known which call it is for the client.
 *
 * Contract: takes its parts in order. Its text is kept only while it is undecided.
 */
class BridgedCall {
  readonly #bridge: Bridge;
  readonly #rules: JudgeRules;
  readonly #scan = new InnerCallScan();
  #name = '';
  /** Its arguments, while it is undecided. */
  #text = '';
  #isEnded = false;
  #isGivenUp = false;
  #inner: InnerCall | undefined;
  #hasWrittenText = false;
  /** The text before, at the beginning of, and behind the inner arguments. */
  readonly #noted = { before: '', style: '', after: '' };
  isDecided = false;
  /** Whether it stays a call of the bridge tool because it cannot work. */
  isRefused = false;
  /** Whether the client's name of the tool has been written. */
  hasWrittenName = false;

  constructor(bridge: Bridge, rules: JudgeRules) {
    this.#bridge = bridge;
    this.#rules = rules;
  }

  /** The name of the tool in a bridge call; undefined for a call that stays as it is. */
  get innerName(): string | undefined {
    return this.#inner?.name;
  }

  /** The name of the called tool for the client. */
  get shownName(): string {
    return this.#inner?.name ?? this.#name;
  }

  /** The number of characters of its arguments so far. */
  get length(): number {
    return this.#scan.length;
  }

  add({ name, arguments: text = '', isEnd = false }: CallPart): void {
    // Some servers send a name in pieces, others repeat it.
    const isMore = name !== undefined && this.length === 0 && name !== this.#name;
    if (isMore && this.#name.length < MOST_NAME_CHARS) this.#name += name;
    const start = this.length;
    this.#scan.push(text);
    this.#isEnded ||= isEnd;
    if (this.isDecided) this.#note(text, start);
    else {
      this.#text += text;
      this.#decide();
    }
  }

  /** Decides by what is known: no more parts follow. */
  end(): void {
    this.#isEnded = true;
    this.#decide();
  }

  /** Decides as soon as the tool's name is known, because there is no memory to hold more. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#decide();
  }

  /** Returns the client's share of a piece of the arguments that begins at `start`. */
  shareOf(piece: string, start: number): string {
    const inner = this.#inner!.arguments;
    if (inner.kind === 'range') return this.#innerPart(piece, start);
    const isFirst = !this.#hasWrittenText;
    this.#hasWrittenText = true;
    return isFirst ? this.#readable(inner.text) : '';
  }

  /** Returns the client's share of the whole arguments, when they are repeated. */
  shareOfWhole(text: string): string {
    const inner = readInnerCall(text, this.#bridge.toolName);
    if (inner === undefined) return text;
    const given = argumentsIn(text, inner);
    return inner.arguments.kind === 'range' ? given : this.#readable(given);
  }

  /** Returns arguments that are no part of the call's text; clients fail on other text than JSON. */
  #readable(text: string): string {
    if (!this.#scan.isComplete || !isReadable(text)) return text;
    return parseObject(text) !== undefined ? text : '{}';
  }

  /** Returns the form in which the model wrote the call, unless it is the canonical one. */
  exactForm(at: number): ExactCall | undefined {
    const name = this.shownName;
    if (this.#inner === undefined) return this.#bridge.isBridged(name) ? { at, name } : undefined;
    const { kind } = this.#inner.arguments;
    const { before, style, after } = this.#noted;
    if (kind === 'made' || !this.#scan.isComplete || before.length + after.length >= MOST_NOTED_CHARS) {
      return undefined;
    }
    const [canonicalBefore, canonicalAfter] = aroundArguments(name, style);
    const isCanonical = before === canonicalBefore && after === canonicalAfter;
    if (kind === 'range') return isCanonical ? undefined : { at, name, around: [before, after] };
    return { at, name, around: [before, after], inner: kind };
  }

  #decide(): void {
    if (this.isDecided) return;
    const isNamed = this.length > 0 || this.#isEnded;
    const mayBeBridge = isNamed ? this.#bridge.isTool(this.#name) : this.#bridge.mayBeTool(this.#name);
    if (!mayBeBridge) this.isDecided = true;
    else if (this.#mayFlow()) this.#unwrap({ name: this.#scan.name!, arguments: this.#range() });
    else if (this.#scan.isComplete || this.#isEnded) this.#decideWhole();
    else if (this.#isGivenUp && this.length > MOST_UNNAMED_CHARS) this.isDecided = true;
    if (this.isDecided) this.#text = '';
  }

  /** Whether the rest of the call need not be known: the client judges its arguments. */
  #mayFlow(): boolean {
    const { name, value } = this.#scan;
    if (name === undefined || value?.kind !== 'object') return false;
    const meant = this.#bridge.resolve(name);
    if (this.#bridge.isOwn(meant)) return false;
    return this.#isGivenUp || this.#isUnjudged(meant);
  }

  #isUnjudged(name: string): boolean {
    return !this.#rules.mayRefuse || this.#rules.defined.has(name);
  }

  #range() {
    const { start, end } = this.#scan.value!;
    return { kind: 'range', start, end } as const;
  }

  /** Decides a call of which no more follows, or whose arguments cannot flow. */
  #decideWhole(): void {
    const inner = readInnerCall(this.#text, this.#bridge.toolName);
    if (inner !== undefined && this.#canWork(inner)) this.#unwrap(inner);
    else {
      this.isDecided = true;
      this.isRefused = this.#rules.mayRefuse && !this.#isOwnCall(inner);
    }
  }

  /** Whether the proxy answers it. */
  #isOwnCall(inner: InnerCall | undefined): boolean {
    const name = inner && this.#bridge.resolve(inner.name);
    if (name === undefined || name === this.#bridge.toolName || !this.#bridge.isOwn(name)) return false;
    return parseArguments(argumentsIn(this.#text, inner!)) !== undefined;
  }

  #canWork(inner: InnerCall): boolean {
    const name = this.#bridge.resolve(inner.name);
    // It stays a call of the bridge tool, and goes back to the provider as the model wrote it: `readOwnCall`.
    if (this.#bridge.isOwn(name)) return false;
    // A call that was cut off is one for the client, too.
    const isCut = !this.#scan.isComplete && this.#scan.value?.end === undefined;
    if (isCut || this.#isGivenUp || !this.#rules.mayRefuse) return true;
    const given = argumentsIn(this.#text, inner);
    // In most formats, a client cannot get anything else.
    if (parseArguments(given) === undefined) return false;
    return this.#isUnjudged(name) || judgeCall(this.#bridge, name, given) === undefined;
  }

  #unwrap(inner: InnerCall): void {
    this.isDecided = true;
    this.#inner = { ...inner, name: this.#bridge.resolve(inner.name) };
    this.#note(this.#text, 0);
  }

  /** Keeps what surrounds the inner arguments, and their beginning, as far as it arrives in a piece. */
  #note(piece: string, start: number): void {
    if (this.#inner === undefined) return;
    const { kind } = this.#inner.arguments;
    const { value } = this.#scan;
    const before = kind === 'none' ? Number.POSITIVE_INFINITY : (value?.start ?? 0);
    this.#append('before', piece.slice(0, Math.max(0, before - start)));
    if (kind === 'range') this.#append('style', this.#innerPart(piece, start));
    if (value?.end !== undefined) this.#append('after', piece.slice(Math.max(0, value.end - start)));
  }

  #append(place: 'before' | 'style' | 'after', text: string): void {
    const noted = this.#noted[place];
    if (noted.length < MOST_NOTED_CHARS) this.#noted[place] = noted + text.slice(0, MOST_NOTED_CHARS);
  }

  #innerPart(piece: string, start: number): string {
    const { start: from, end } = this.#scan.value!;
    return piece.slice(Math.max(0, from - start), end === undefined ? undefined : Math.max(0, end - start));
  }
}
