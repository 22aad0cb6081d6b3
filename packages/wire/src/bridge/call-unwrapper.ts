import type { ExactCall } from '../format/view.ts';
import { eventText, type WireEvent } from '../framing/wire-event.ts';
import type { Keep } from '../joining/keep.ts';
import type { Bridge } from './bridge.ts';
import { BridgedCall, type JudgeRules } from './bridged-call.ts';
import type { CallEvents, CallPart, PartChange } from './call-events.ts';

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
