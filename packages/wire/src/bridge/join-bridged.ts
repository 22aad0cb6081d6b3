import type { JoinResponses, ResponseJoiner, RoundEnd, RoundFailure } from '../format/response-joiner.ts';
import type { BridgePlan, SearchResult } from '../format/view.ts';
import type { WireEvent } from '../framing/wire-event.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
import { keepResult } from '../turns/kept-result.ts';
import { Bridge } from './bridge.ts';
import type { BridgeDialect } from './bridge-dialect.ts';
import { CallUnwrapper } from './call-unwrapper.ts';
import { DefinedTools, keptNames } from './defining-results.ts';
import { nameCalls } from './name-calls.ts';
import { MOST_REFUSALS } from './refuse-call.ts';

/** The most characters of one exchange that are held for calls that are not decided yet. */
const HELD_CHARS = 32 * 1024 * 1024;

/**
 * Returns the way a format joins responses, with bridge mode: before the format's own joiner sees an event,
 * calls of the bridge tool in it have become calls of the real tools. In all modes, calls of hidden tools have
 * got their names.
 */
export function joinBridged(join: JoinResponses, dialect: BridgeDialect): JoinResponses {
  return (view, plan, usageShown, keep) => {
    const joiner = join(view, plan, usageShown, keep);
    if (plan.loadMode !== 'bridge') return nameCalls(joiner, view, plan, dialect);
    const bridge = new Bridge(view, plan, dialect);
    return nameCalls(new BridgeJoiner(joiner, { bridge, plan, dialect, keep }), view, plan, dialect);
  };
}

interface BridgeParts {
  readonly bridge: Bridge;
  readonly plan: BridgePlan;
  readonly dialect: BridgeDialect;
  readonly keep: Keep | undefined;
}

/** State after a round that ended well. */
interface KeptState {
  readonly refusals: number;
  /** Events that the end of a round released. The next call returns them. */
  readonly late: readonly WireEvent[];
}

/** A format's joiner behind an unwrapper for each round. */
class BridgeJoiner implements ResponseJoiner {
  readonly #joiner: ResponseJoiner;
  readonly #bridge: Bridge;
  readonly #dialect: BridgeDialect;
  readonly #keep: Keep;
  readonly #defined: DefinedTools;
  #unwrapper: CallUnwrapper | undefined;
  #kept: KeptState = { refusals: 0, late: [] };
  #late: readonly WireEvent[] = [];
  /** Whether no other round can follow. */
  #isLast = false;
  /** Absent when the format cannot begin a response again. */
  readonly retractStart?: () => void;

  constructor(joiner: ResponseJoiner, { bridge, plan, dialect, keep = keepUpTo(HELD_CHARS) }: BridgeParts) {
    this.#joiner = joiner;
    this.#bridge = bridge;
    this.#dialect = dialect;
    this.#keep = keep;
    const { callable } = bridge;
    const read = plan.hasUnknownPast ? callable.keys() : [...plan.load, ...keptNames(callable, plan.defer)];
    this.#defined = new DefinedTools(callable, read);
    if (joiner.retractStart) this.retractStart = () => joiner.retractStart?.();
  }

  get hasStarted() {
    return this.#joiner.hasStarted;
  }

  get hasShown() {
    return this.#joiner.hasShown;
  }

  get isHolding() {
    return this.#joiner.isHolding;
  }

  get usage() {
    return this.#joiner.usage;
  }

  get notices() {
    return this.#joiner.notices;
  }

  get isRoundOver() {
    return this.#joiner.isRoundOver;
  }

  get amendedStart() {
    return this.#joiner.amendedStart;
  }

  feed(event: WireEvent): readonly WireEvent[] {
    this.#unwrapper ??= this.#begin();
    return this.#withLate(this.#pass(this.#unwrapper.take(event)));
  }

  endRound(): RoundEnd {
    const unwrapper = this.#unwrapper ?? this.#begin();
    this.#unwrapper = undefined;
    this.#late = [...this.#late, ...this.#pass(unwrapper.settle())];
    const end = this.#joiner.endRound();
    if (end.kind === 'failed') return end;
    const { refusals } = this.#kept;
    this.#kept = { refusals: refusals + (unwrapper.hasRefused ? 1 : 0), late: this.#late };
    const exact = unwrapper.exactCalls(end.turn.realCalls.length);
    return exact.length === 0 ? end : { ...end, turn: { ...end.turn, exact } };
  }

  takeResults(results: readonly SearchResult[]): void {
    for (const result of results) this.#defined.take(keepResult(result));
    this.#isLast ||= results.some(({ kind }) => kind === 'limit');
    this.#joiner.takeResults?.(results);
  }

  abandonRound(): void {
    this.#unwrapper = undefined;
    this.#late = this.#kept.late;
    this.#joiner.abandonRound();
  }

  finish(): readonly WireEvent[] {
    return this.#withLate(this.#joiner.finish());
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    return this.#withLate(this.#joiner.fail(failure));
  }

  #begin(): CallUnwrapper {
    return new CallUnwrapper(this.#bridge, this.#dialect.readCalls(this.#bridge), {
      mayRefuse: !this.#isLast && this.#kept.refusals < MOST_REFUSALS,
      defined: this.#defined.names,
      keep: this.#keep,
    });
  }

  #pass(events: readonly WireEvent[]): readonly WireEvent[] {
    // Nearly always, one event becomes one.
    if (events.length === 1) return this.#joiner.feed(events[0]!);
    return events.flatMap((event) => this.#joiner.feed(event));
  }

  #withLate(events: readonly WireEvent[]): readonly WireEvent[] {
    if (this.#late.length === 0) return events;
    const late = this.#late;
    this.#late = [];
    return [...late, ...events];
  }
}
