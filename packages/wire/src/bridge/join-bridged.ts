import type { ToolReading } from '../format/capabilities.ts';
import {
  type JoinResponses,
  type Keep,
  keepUpTo,
  type ResponseJoiner,
  type RoundEnd,
  type RoundFailure,
} from '../format/response-joiner.ts';
import type { BridgePlan, Plan, RequestView, SearchCall, SearchResult } from '../format/view.ts';
import { eventText, type WireEvent } from '../framing/framing.ts';
import { parseArguments } from '../json/scan-json.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
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
 * Returns the way a format joins responses, with bridge mode: before the format's own joiner sees an event,
 * calls of the bridge tool in it have become calls of the real tools. In all modes, calls of hidden tools have
 * got their names.
 */
export function joinBridged(join: JoinResponses, dialect: BridgeDialect): JoinResponses {
  return (view, plan, keep) => {
    const joiner = join(view, plan, keep);
    if (plan.loadMode !== 'bridge') return nameCalls(joiner, view, plan, dialect);
    const bridge = bridgeOf(view, plan, dialect);
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
    this.#defined = new DefinedTools(callable, () =>
      plan.hasUnknownPast ? callable.keys() : [...plan.load, ...keptNames(callable, plan.defer)],
    );
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
      defined: this.#defined,
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

/**
 * Makes a joiner read calls of hidden tools under the tools' own names, however the model has spelt these, so
 * that such calls stay hidden, and histories hold only names that providers accept. Returns the joiner.
 *
 * A name that arrives in pieces is left to the format and to `BridgedCall`.
 */
function nameCalls(
  joiner: ResponseJoiner,
  view: RequestView,
  plan: Plan,
  { readCalls, textOf = eventText, mark = '' }: BridgeDialect,
): ResponseJoiner {
  const hidden = hiddenNames(plan, view.toolSection);
  if (hidden.isEmpty) return joiner;
  const feed = joiner.feed.bind(joiner);
  joiner.feed = (event) => {
    if (event.kind === 'comment') return feed(event);
    const text = textOf(event);
    if (!text.includes(mark) || !hidden.spellings.test(text)) return feed(event);
    const calls = readCalls({ toolName: '', section: view.toolSection });
    const changes = calls.partsOf(event).map(({ name = '' }) => {
      const meant = hidden.meantBy(name);
      return meant === undefined || meant === name ? undefined : { name: meant };
    });
    const isNamed = changes.some((change) => change !== undefined);
    return feed((isNamed ? calls.rewrite(event, changes) : undefined) ?? event);
  };
  return joiner;
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
