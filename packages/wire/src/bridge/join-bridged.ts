import type { ToolReading } from '../format/capabilities.ts';
import {
  type JoinResponses,
  type Keep,
  keepUpTo,
  type ResponseJoiner,
  type RoundEnd,
  type RoundFailure,
} from '../format/response-joiner.ts';
import type { BridgePlan, Plan, RequestView, SearchCall, SearchResult, ToolSection } from '../format/view.ts';
import { eventText, type WireEvent } from '../framing/framing.ts';
import { parseArguments } from '../json/scan-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { keepResult } from '../turns/kept-result.ts';
import { type Bridge, bridgeOf } from './bridge.ts';
import { CallUnwrapper } from './bridged-call.ts';
import type { BridgeDialect } from './call-writer.ts';
import { DefinedTools, keptNames } from './found-definitions.ts';
import { argumentsIn, readInnerCall } from './inner-call.ts';
import { judgeCall, MALFORMED } from './judge-call.ts';

/** The most characters of one exchange that are held for calls that are not decided yet. */
const HELD_CHARS = 32 * 1024 * 1024;

/**
 * Returns the way a format joins responses, with hidden calls: before the format's own joiner sees an event, calls of
 * hidden tools in it have got the tools' own names and, in bridge mode, calls of the bridge tool have become calls of
 * the real tools.
 */
export function joinBridged(join: JoinResponses, dialect: BridgeDialect): JoinResponses {
  return (view, plan, keep) => {
    const joiner = join(view, plan, keep);
    const hidden = hiddenNames(plan, view.toolSection);
    if (hidden.isEmpty) return joiner;
    const names = new CallNames(hidden, view.toolSection, dialect);
    if (plan.loadMode !== 'bridge') return new CallJoiner(joiner, names);
    return new CallJoiner(joiner, names, { bridge: bridgeOf(view, plan, dialect), plan, dialect, keep });
  };
}

/** Parts of joining in bridge mode. */
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

/** A format's joiner behind the names of hidden calls and, in bridge mode, an unwrapper for each round. */
class CallJoiner implements ResponseJoiner {
  readonly #joiner: ResponseJoiner;
  readonly #names: CallNames;
  readonly #bridged: BridgedCalls | undefined;

  constructor(joiner: ResponseJoiner, names: CallNames, parts?: BridgeParts) {
    this.#joiner = joiner;
    this.#names = names;
    this.#bridged = parts && new BridgedCalls(joiner, parts);
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

  get isRoundOver() {
    return this.#joiner.isRoundOver;
  }

  get amendedStart() {
    return this.#joiner.amendedStart;
  }

  get canRetractStart() {
    return this.#joiner.canRetractStart;
  }

  feed(event: WireEvent): readonly WireEvent[] {
    const named = this.#names.correct(event);
    return this.#bridged?.feed(named) ?? this.#joiner.feed(named);
  }

  endRound(): RoundEnd {
    return this.#bridged?.endRound() ?? this.#joiner.endRound();
  }

  takeResults(results: readonly SearchResult[]): void {
    this.#bridged?.takeResults(results);
    this.#joiner.takeResults(results);
  }

  retractStart(): void {
    this.#joiner.retractStart();
  }

  abandonRound(): void {
    this.#bridged?.abandonRound();
    this.#joiner.abandonRound();
  }

  finish(): readonly WireEvent[] {
    return this.#withLate(this.#joiner.finish());
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    return this.#withLate(this.#joiner.fail(failure));
  }

  #withLate(events: readonly WireEvent[]): readonly WireEvent[] {
    return this.#bridged?.withLate(events) ?? events;
  }
}

/** Feeds a joiner the calls in those of the bridge tool. */
class BridgedCalls {
  readonly #joiner: Pick<ResponseJoiner, 'feed' | 'endRound'>;
  readonly #bridge: Bridge;
  readonly #dialect: BridgeDialect;
  readonly #keep: Keep;
  readonly #defined: DefinedTools;
  #unwrapper: CallUnwrapper | undefined;
  #kept: KeptState = { refusals: 0, late: NO_EVENTS };
  #late: readonly WireEvent[] = NO_EVENTS;
  /** Whether no other round can follow. */
  #isLast = false;

  constructor(
    joiner: Pick<ResponseJoiner, 'feed' | 'endRound'>,
    { bridge, plan, dialect, keep = keepUpTo(HELD_CHARS) }: BridgeParts,
  ) {
    this.#joiner = joiner;
    this.#bridge = bridge;
    this.#dialect = dialect;
    this.#keep = keep;
    const { callable } = bridge;
    this.#defined = new DefinedTools(callable, () =>
      plan.hasUnknownPast ? callable.keys() : [...plan.load, ...keptNames(callable, plan.defer)],
    );
  }

  feed(event: WireEvent): readonly WireEvent[] {
    this.#unwrapper ??= this.#begin();
    return this.withLate(this.#pass(this.#unwrapper.take(event)));
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
  }

  abandonRound(): void {
    this.#unwrapper = undefined;
    this.#late = this.#kept.late;
  }

  /** Returns events behind those that the end of a round has released. */
  withLate(events: readonly WireEvent[]): readonly WireEvent[] {
    if (this.#late.length === 0) return events;
    const late = this.#late;
    this.#late = NO_EVENTS;
    return [...late, ...events];
  }

  #begin(): CallUnwrapper {
    return new CallUnwrapper(this.#bridge, this.#dialect.readCalls(this.#bridge), {
      mayRefuse: !this.#isLast && this.#kept.refusals < MOST_REFUSALS,
      defined: this.#defined,
      keep: this.#keep,
    });
  }

  #pass(events: readonly WireEvent[]): readonly WireEvent[] {
    // Nearly always, one event becomes one.
    if (events.length === 1) return this.#joiner.feed(events[0]!);
    return events.flatMap((event) => this.#joiner.feed(event));
  }
}

const NO_EVENTS: readonly WireEvent[] = [];

/**
 * Corrects the names in calls of hidden tools to the tools' own, however the model has spelt them, so that such calls
 * stay hidden, and histories hold only names that providers accept.
 *
 * A name that arrives in pieces is left to the format and to `BridgedCall`.
 */
class CallNames {
  readonly #hidden: HiddenNames;
  readonly #section: ToolSection | undefined;
  readonly #dialect: BridgeDialect;

  constructor(hidden: HiddenNames, section: ToolSection | undefined, dialect: BridgeDialect) {
    this.#hidden = hidden;
    this.#section = section;
    this.#dialect = dialect;
  }

  /** Returns an event with correct names; the same one if it has them. */
  correct(event: WireEvent): WireEvent {
    if (event.kind === 'comment') return event;
    const { readCalls, textOf = eventText, mark = '' } = this.#dialect;
    const text = textOf(event);
    if (!text.includes(mark) || !this.#hidden.spellings.test(text)) return event;
    const calls = readCalls({ toolName: '', section: this.#section });
    const changes = calls.partsOf(event).map(({ name = '' }) => {
      const meant = this.#hidden.meantBy(name);
      return meant === undefined || meant === name ? undefined : { name: meant };
    });
    const isNamed = changes.some((change) => change !== undefined);
    return (isNamed ? calls.rewrite(event, changes) : undefined) ?? event;
  }
}

/** The most rounds of an exchange in which calls are refused. */
export const MOST_REFUSALS = 2;

/** Whether a hidden call is one of the bridge tool that cannot work. */
export function isRefused(plan: Plan, call: SearchCall): boolean {
  return plan.loadMode === 'bridge' && readOwnCall(plan, call).name === plan.bridgeTool.name;
}

/**
 * Returns the answer to a bridge call that cannot work: what is wrong with it, and the definition of the tool
 * that it means.
 */
export function refuseCall(
  view: RequestView,
  plan: Plan,
  call: SearchCall,
  reading: ToolReading,
): SearchResult {
  const answer = { callId: call.id, kind: 'answered', isError: true } as const;
  if (plan.loadMode !== 'bridge') return { ...answer, tools: [], text: MALFORMED };
  const bridge = bridgeOf(view, plan, reading);
  const text = call.input === undefined ? '' : JSON.stringify(call.input);
  const inner = readInnerCall(text, bridge.toolName);
  const name = inner && bridge.resolve(inner.name);
  const problem = judgeCall(bridge, name, inner === undefined ? '' : argumentsIn(text, inner));
  const tool = problem?.name === undefined ? undefined : bridge.callable.get(problem.name);
  return { ...answer, tools: tool === undefined ? [] : [tool], text: problem?.text ?? MALFORMED };
}

/**
 * Returns a hidden call as one of the tool that the proxy is to answer: a bridge call of the search tool or of
 * an offered tool is one of that tool. Any other call stays as it is.
 *
 * In the model's message, and so in a turn, it remains a call of the bridge tool: signatures and the prompt
 * cache cover its form.
 */
export function readOwnCall(plan: Plan, call: SearchCall): SearchCall {
  if (plan.loadMode !== 'bridge' || call.name !== plan.bridgeTool.name || call.input === undefined)
    return call;
  const text = JSON.stringify(call.input);
  const inner = readInnerCall(text, call.name);
  const given = inner && parseArguments(argumentsIn(text, inner));
  const hidden = hiddenNames(plan);
  const name = inner && hidden.meantBy(inner.name);
  if (given === undefined || name === undefined || name === call.name) return call;
  return hidden.readCall({ id: call.id, name }, given);
}
