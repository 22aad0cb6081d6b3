import { type PlanReason, RolloutArm, type RolloutReason } from '@winnow/core';
import type { RequestView } from '@winnow/wire';
import type { Settings } from '../config/config.ts';
import type { RequestMemory } from '../sessions/request-memory.ts';
import { bypass, isBypass } from '../strategies/bypass.ts';
import { MODE_HEADER } from '../upstream/headers.ts';
import { ProxyError } from '../upstream/proxy-error.ts';
import type { HostedExchange, PolyfilledExchange } from './answer-deferring.ts';
import { agentOf, meetAgent } from './choose-deferral.ts';
import type { EditedExchange } from './converse.ts';
import { type ExchangeEffects, unlessDefect } from './exchange.ts';
import type { LeftAlone } from './fall-back.ts';
import type { ObservedExchange } from './observe-exchange.ts';
import { keepClientsSearch, type PlanContext, planExchange } from './plan-exchange.ts';
import type { ReceivedRequest, UnreadRequest } from './receive-request.ts';

/** The kind of exchange that a request starts, with the data for answering it. */
type ExchangeKind =
  | UnreadRequest
  /** Read, and sent as the client wrote it. */
  | UntouchedRequest
  /** Planned, and sent as the client wrote it. */
  | ({ readonly kind: 'observed' } & ObservedExchange)
  /** The client defers tools itself on an upstream that cannot: request and response are rewritten. */
  | ({ readonly kind: 'polyfilled' } & PolyfilledExchange)
  /** The client leaves tool searches to a provider that runs none: the proxy resolves them. */
  | ({ readonly kind: 'hosted' } & HostedExchange)
  /** A plan defers its tools, and the proxy resolves the model's searches. */
  | ({ readonly kind: 'planned' } & EditedExchange)
  /**
   * The upstream has refused the conversation both edited and unedited: only the thinking of earlier turns is
   * omitted.
   */
  | ({ readonly kind: 'without_thinking' } & EditedExchange);

/** A request that is sent as the client wrote it, with the reason. */
interface UntouchedRequest extends LeftAlone {
  readonly kind: 'untouched';
  readonly reason: PlanReason;
}

export interface SortContext extends PlanContext {
  readonly memory: Pick<RequestMemory, 'hasHeap'>;
  readonly effects: Pick<ExchangeEffects, 'now' | 'every' | 'pause'>;
}

/** Memory set aside for the response to an edited request, in bytes: most responses need less at any time. */
const RESPONSE_BYTES = 128 * 1024;

/**
 * Determines the kind of exchange that a request starts: whether its tools are edited, whether its client
 * defers tools itself, and the plan. Without a decision, `rollout` depends on the session. Returns a promise only
 * for a request that needs a plan, which never rejects.
 */
export function sortExchange(
  request: ReceivedRequest,
  rollout: RolloutDecision | undefined,
  context: SortContext,
): ExchangeKind | Promise<ExchangeKind> {
  const decision = rollout ?? decideForRequest(request, context);
  if (!rollout) request.tell({ kind: 'decided', ...decision });
  const agentId = agentOf({ exchange: request.exchange, view: request.reading.view }, context);
  meetAgent(request, { id: agentId, isDeferring: decision.arm === 'full' }, context);
  const { arm } = decision;
  // Counting tokens involves no model, so there would have been no search.
  const isNotRead = arm === 'off' || (arm !== 'full' && request.exchange.purpose !== 'answer');
  if (isNotRead) return { ...leave(request, 'not_read'), view: undefined };
  const deferring = arm === 'full' ? sortDeferring(request, context) : undefined;
  return deferring ?? planRequest(request, { agentId, arm }, context);
}

/** Decides by the settings for the request's model, or else by the percentage of sessions that are on. */
function decideForRequest(
  { exchange: { format, request }, reading: { view }, conversation, known }: ReceivedRequest,
  { settings }: SortContext,
): RolloutDecision {
  const decision = decideRollout(settings, request.headers[MODE_HEADER]?.toString());
  if (decision !== undefined) return decision;
  const percent = settings['rollout.percent'];
  if (known !== undefined) return decideForSession(percent, known.bucket);
  // Such a request shows only the end of a conversation, which does not tell whether the rest was inside.
  const isContinued =
    view !== undefined && format.capabilities.storedResponses?.previousId(view) !== undefined;
  return decideForSession(percent, isContinued && !conversation.isNamed ? undefined : conversation.bucket);
}

function leave(request: ReceivedRequest, reason: PlanReason): UntouchedRequest {
  request.tell({ kind: 'left_alone', reason });
  return untouched(request, reason);
}

function untouched(
  { exchange, body, sender, tell, reading: { view } }: ReceivedRequest,
  reason: PlanReason,
): UntouchedRequest {
  return { kind: 'untouched', reason, exchange, body, sender, tell, view };
}

/**
 * Sorts a request whose client defers tools itself on an upstream that cannot; returns undefined for other
 * requests.
 */
function sortDeferring(request: ReceivedRequest, { onDefect }: SortContext): ExchangeKind | undefined {
  const { exchange, reading, hold, tell } = request;
  const { format, target } = exchange;
  const { view } = reading;
  if (view === undefined || !target.upstream.isPolyfilled) return undefined;
  // The response to such a request, or the provider's copy of it, returns by ways where it cannot be
  // rewritten.
  const isElsewhere = view.bypass === 'background' || view.bypass === 'stored_prompt';
  const polyfilled = isElsewhere
    ? undefined
    : unlessDefect(() => format.capabilities.polyfill?.(view), onDefect);
  if (polyfilled !== undefined && hold.setAside(RESPONSE_BYTES)) {
    tell({ kind: 'left_alone', reason: 'polyfilled' });
    return { ...request, kind: 'polyfilled', view, polyfilled };
  }
  const searches = unlessDefect(() => format.capabilities.hostedSearches?.(view), onDefect);
  if (searches === undefined || !hold.setAside(RESPONSE_BYTES)) return undefined;
  return { ...request, kind: 'hosted', view, searches };
}

/**
 * Reads the conversation's notes, and decides which tools the model sees. In arms that only observe, the plan is not
 * carried out.
 */
function planRequest(
  request: ReceivedRequest,
  { agentId, arm }: PlanArm,
  context: SortContext,
): ExchangeKind | Promise<ExchangeKind> {
  const { reading, tell } = request;
  const isObserved = arm !== 'full';
  if (!reading.ok) {
    const { reason, view } = reading;
    if (!isObserved) {
      if (reason === 'client_defers' && view !== undefined)
        unlessDefect(
          () => keepClientsSearch({ ...request, view, isObserved, agentId }, context),
          context.onDefect,
        );
      return leave(request, reason);
    }
    tell({ kind: 'left_alone', reason });
    return { ...request, kind: 'observed', arm, view, plan: bypass(reason) };
  }
  return planReadable(request, reading.view, { agentId, arm }, context);
}

/** The agent and the arm of a request to plan. */
interface PlanArm {
  readonly agentId: string | undefined;
  readonly arm: RolloutArm;
}

async function planReadable(
  request: ReceivedRequest,
  view: RequestView,
  { agentId, arm }: PlanArm,
  context: SortContext,
): Promise<ExchangeKind> {
  const { hold } = request;
  const isObserved = arm !== 'full';
  const planned = await planExchange({ ...request, view, isObserved, agentId }, context);
  const { plan, dropsThinking } = planned;
  if (request.isLarge) await context.effects.pause();
  if (isObserved) return { ...request, kind: 'observed', arm, view, plan };
  if (!isBypass(plan)) {
    if (!hold.setAside(RESPONSE_BYTES)) return leave(request, 'short_of_memory');
    return { ...request, ...planned, kind: 'planned', view };
  }
  if (plan.reason === 'refused_before' && dropsThinking)
    return { ...request, ...planned, kind: 'without_thinking', view };
  return untouched(request, plan.reason);
}

/** The arm of an exchange, and the reason for it. */
export interface RolloutDecision {
  readonly arm: RolloutArm;
  readonly reason: RolloutReason;
}

/**
 * Decides the arm by the settings and the request; returns undefined if it depends on the session, which
 * `decideForSession` decides.
 *
 * @throws ProxyError with `bad_request` if the request may choose its arm and names an unknown one.
 */
export function decideRollout(
  settings: Settings,
  requested: string | undefined,
): RolloutDecision | undefined {
  const isSwitchedOff = settings['tools.strategy'] === 'passthrough';
  if (isSwitchedOff) return { arm: 'off', reason: 'switched_off' };
  if (requested !== undefined && settings['rollout.allow_override']) {
    return { arm: readMode(requested), reason: 'overridden' };
  }
  return decideBySettings(settings);
}

/**
 * Decides the arm where any of several settings may hold; returns undefined if they differ, or if it depends on
 * the session.
 *
 * @throws as `decideRollout` does.
 */
export function decideForAny(
  contexts: readonly { readonly settings: Settings }[],
  requested: string | undefined,
): RolloutDecision | undefined {
  const [first, ...others] = contexts.map(({ settings }) => decideRollout(settings, requested));
  const isSame = others.every((one) => one?.arm === first?.arm && one?.reason === first?.reason);
  return isSame ? first : undefined;
}

function readMode(requested: string): RolloutArm {
  const mode = RolloutArm.safeParse(requested);
  if (mode.success) return mode.data;
  throw new ProxyError('bad_request', `The header ${MODE_HEADER} must be one of ${MODES}.`);
}

const MODES = RolloutArm.options.join(', ');

function decideBySettings(settings: Settings): RolloutDecision | undefined {
  const mode = settings['rollout.mode'];
  switch (mode) {
    case 'off':
      return { arm: 'off', reason: 'rollout_off' };
    case 'dark':
      return { arm: 'dark', reason: 'rollout_dark' };
    case 'shadow':
      return { arm: 'shadow', reason: 'rollout_shadow' };
    case 'full':
      return { arm: 'full', reason: 'rollout_full' };
    case 'partial':
      return decideForAll(settings['rollout.percent']);
    default: {
      const missing: never = mode;
      return missing;
    }
  }
}

/** At 0 and 100 percent, the session does not matter. */
function decideForAll(percent: number): RolloutDecision | undefined {
  if (percent === 0) return OUTSIDE;
  return percent === 100 ? INSIDE : undefined;
}

const INSIDE: RolloutDecision = { arm: 'full', reason: 'inside_percent' };
const OUTSIDE: RolloutDecision = { arm: 'shadow', reason: 'outside_percent' };

/** Without an identity a session counts as outside: it could not keep its place. */
const WITHOUT_SESSION: RolloutDecision = { arm: 'shadow', reason: 'no_session' };

/**
 * Decides for a session in `partial` mode by its bucket, from 0 up to but not including 100. A session that
 * is inside stays inside when the percentage rises.
 */
export function decideForSession(percent: number, bucket: number | undefined): RolloutDecision {
  if (bucket === undefined) return WITHOUT_SESSION;
  return bucket < percent ? INSIDE : OUTSIDE;
}
